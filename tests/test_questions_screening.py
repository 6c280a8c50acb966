"""Blocks that a person should not be asked about are dropped, with the reason."""

import numpy as np

from earthexam.core.scene import Profile
from earthexam.questions.hyperspectral.scenes import LabelledScene, SceneFiles
from earthexam.sources.labels import ClassTable, write_class_table
from earthexam.sources.numpy_array import write_array
from earthexam.sources.profiles import Description


def test_a_block_at_the_top_of_the_stored_range_is_dropped_as_saturated(tmp_path):
    generator = np.random.default_rng(0)
    stored = generator.integers(20, 200, size=(20, 40, 4)).astype(np.uint8)
    stored[:, 20:][:8] = 255
    labels = np.tile(np.repeat([1, 2], 10), (20, 2)).astype(np.uint8)
    write_array(stored, Description(Profile(name="glare")), tmp_path / "glare.npy")
    np.save(tmp_path / "labels.npy", labels)
    table = ClassTable({1: "Sand", 2: "Grass"}, {"Sand": "soil", "Grass": "vegetation"})
    classes = write_class_table(table, tmp_path / "classes.csv")

    scene = LabelledScene(
        SceneFiles(tmp_path / "glare.npy", tmp_path / "labels.npy", classes=classes), tile=20
    )

    assert [plan.place for plan in scene.kept] == ["glare/block-000"]
    # 8 of 20 rows of the second block stand at 255, the most an unsigned byte can hold.
    assert [(one.place, one.reason) for one in scene.dropped] == [
        ("glare/block-001", "40.0% of the pixels saturated, allowed 20%")
    ]
