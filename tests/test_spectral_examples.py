import doctest
import importlib
import pkgutil

import pytest

import earthexam.spectral

MODULES = [module.name for module in pkgutil.iter_modules(earthexam.spectral.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    module = importlib.import_module(f"earthexam.spectral.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
