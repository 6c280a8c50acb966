"""A scene larger than memory is worked through block by block, by build and by verify."""

import weakref

from earthexam.benchmark.store import Benchmark
from earthexam.questions.hyperspectral import scenes
from earthexam.questions.hyperspectral.build import build_hyperspectral
from earthexam.questions.hyperspectral.scenes import LabelledScene
from earthexam.questions.hyperspectral.verify import verify_hyperspectral
from synthetic_scene import SETTINGS, make_scene


def test_of_a_large_scene_no_more_than_two_blocks_are_held(tmp_path, monkeypatch):
    monkeypatch.setattr(scenes, "KEPT_VALUES", 0)
    made, alive = [], []
    make = LabelledScene._make_block

    def counted(self, plan):
        block = make(self, plan)
        made.append(weakref.ref(block))
        alive.append(sum(one() is not None for one in made))
        return block

    monkeypatch.setattr(LabelledScene, "_make_block", counted)
    files = make_scene(tmp_path / "sources").files
    build_hyperspectral([files], tmp_path / "bench", SETTINGS)
    assert verify_hyperspectral(Benchmark.open(tmp_path / "bench")) == []
    assert len(made) > 50
    assert max(alive) <= 2
