"""The examples in doc strings and in docs/python.md do what they say."""
import doctest
import importlib
import pathlib
import pkgutil
import re

import numpy as np
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


def sections():
    """The sections of the page that have examples, by their titles."""
    parts = re.split(r"(?m)^## (.*)\n", PAGE.read_text(encoding="utf-8"))
    return {title: text for title, text in zip(parts[1::2], parts[2::2]) if ">>> " in text}


def needs(text):
    """The packages that these examples need."""
    imported = re.findall(r"(?m)^>>> (?:import|from) (\w+)", text)
    return {*imported, *(["pandas"] if ".frame()" in text else [])}


@pytest.mark.parametrize("title", sections())
def test_page(title):
    """Each section runs by itself where its packages are there."""
    text = sections()[title]
    packages = {name: pytest.importorskip(name) for name in sorted(needs(text))}
    if "torch" in packages and packages["torch"].cuda.is_available() and not apsp._engine.gpu()[0]:
        pytest.skip("PyTorch has a GPU, and this build of apsp has none")
    examples = doctest.DocTestParser().get_doctest(text, {"np": np, "apsp": apsp}, title, str(PAGE),
                                                   0)
    found = doctest.DocTestRunner().run(examples)
    assert found.failed == 0 and found.attempted > 0


def test_every_recipe_of_the_page_runs():
    """No example is left out, and the packages that are needed are those that are known here."""
    assert len(sections()) >= 7 and "+SKIP" not in PAGE.read_text(encoding="utf-8")
    assert set().union(*map(needs, sections().values())) == {
        "apsp", "io", "networkx", "numpy", "pandas", "scipy", "torch"}


@pytest.mark.parametrize("name", apsp.__all__)
def test_every_name_has_a_doc_string(name):
    assert getattr(apsp, name).__doc__
