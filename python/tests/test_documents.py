"""The examples in doc strings and in docs/python.md do what they say."""
import doctest
import importlib
import pathlib
import pkgutil

import pytest

import apsp

MODULES = ["apsp"] + [f"apsp.{module.name}" for module in pkgutil.iter_modules(apsp.__path__)
                      if not module.name.startswith("_")]
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_doc_strings(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"apsp": apsp})
    assert found.failed == 0
    assert name != "apsp" or found.attempted > 0


def test_page():
    for name in ("scipy", "pandas", "networkx"):
        pytest.importorskip(name)
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.parametrize("name", apsp.__all__)
def test_every_name_has_a_doc_string(name):
    assert getattr(apsp, name).__doc__
