"""Shared fixtures: the specification folder, where a developer has one."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from earthexam.benchmark.store import Benchmark

if TYPE_CHECKING:
    from synthetic_scene import BuiltScene

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with specifications and published questions; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the specification folder beside the project ({SHARED.name}/)")
    return SHARED


@pytest.fixture(scope="session")
def hm_bench(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """HM-Bench as published, imported without its pictures and reports."""
    from earthexam.exchange.hm_bench import import_hm_bench

    source = shared / "data" / "hm-bench"
    if not source.is_dir():
        pytest.skip("needs the published HM-Bench questions")
    out = tmp_path_factory.mktemp("published") / "hm-bench"
    import_hm_bench(source, out, without_media=True)
    return Benchmark.open(out)


@pytest.fixture(scope="session")
def meadow(tmp_path_factory: pytest.TempPathFactory) -> "BuiltScene":
    """A synthetic scene and the benchmark built from it."""
    from synthetic_scene import build_scene

    return build_scene(tmp_path_factory.mktemp("meadow"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("EARTHEXAM_SLOW") == "1":
        return
    skip = pytest.mark.skip(reason="slow; set EARTHEXAM_SLOW=1 to run it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
