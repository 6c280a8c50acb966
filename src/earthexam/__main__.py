"""Run ``python -m earthexam``."""

from earthexam.cli import main

if __name__ == "__main__":
    main()
