"""What a question says is what its rule goes by, and it can be read without its block's siblings."""

from dataclasses import replace

import pytest

from earthexam.benchmark.store import Benchmark
from earthexam.questions.hyperspectral.block import PARTS
from earthexam.questions.hyperspectral.build import BuildSettings, build_hyperspectral
from earthexam.questions.hyperspectral.families import all_families
from earthexam.questions.hyperspectral.scenes import LabelledScene
from earthexam.questions.verify import compare
from synthetic_scene import make_scene


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wordings")
    files = make_scene(folder / "sources").files
    settings = BuildSettings("wordings", tile=12, per_task=12)
    build_hyperspectral([files], folder / "bench", settings)
    scene = LabelledScene(files, tile=12)
    return Benchmark.open(folder / "bench").items, {b.place: b for b in scene.blocks()}


def test_edges_that_the_question_does_not_state_are_found(built):
    items, blocks = built
    graded = next(item for item in items if "definition" in item.provenance.parameters)
    block = blocks[graded.group]
    assert not list(compare(graded, block, all_families()))
    others = [edge + 0.2 for edge in graded.provenance.parameters["edges"]]
    parameters = {**graded.provenance.parameters, "edges": others}
    moved = replace(graded, provenance=replace(graded.provenance, parameters=parameters))
    assert [one.id for one in compare(moved, block, all_families())] == [graded.id]


@pytest.mark.parametrize("part", PARTS)
def test_parts_of_a_block_are_named_in_full(part):
    assert "its" not in part.split()
    assert "the block" in part
