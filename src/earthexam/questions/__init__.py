"""Make items from scenes, each answer by a rule that can be computed again."""
