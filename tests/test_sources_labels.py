"""Label maps and class tables."""

import numpy as np
import pytest
from PIL import Image

from earthexam.core.errors import FormatError, MissingFileError, ShapeError, UnknownNameError
from earthexam.core.scene import Profile, Scene
from earthexam.sources.labels import (
    ClassTable,
    read_class_table,
    read_labels,
    with_labels,
    write_class_table,
)

MAP = np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8)
SCENE = Scene("plot", np.ones((2, 3, 2), np.float32), Profile("plot", class_names={1: "a", 2: "b"}))


def picture(path, mode):
    image = Image.fromarray(MAP)
    if mode == "P":
        image.putpalette([9, 9, 9, 200, 0, 0, 0, 200, 0])
    else:
        image = image.convert(mode)
    image.save(path)
    return path


@pytest.mark.parametrize("mode", ["P", "L"])
def test_a_picture_gives_indices_and_not_colours(tmp_path, mode):
    labels = read_labels(picture(tmp_path / "gt.png", mode))
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(labels, MAP)


def test_a_picture_in_colours_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"picture in colours \(mode RGB\)"):
        read_labels(picture(tmp_path / "gt.png", "RGB"))


def test_a_cut_off_picture_is_one_error_of_ours(tmp_path):
    path = picture(tmp_path / "gt.png", "P")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FormatError, match="not a whole picture"):
        read_labels(path)


@pytest.mark.parametrize("name", ["gt.png", "gt.npy", "gt.mat", "gt.csv"])
def test_a_missing_label_file_is_said_to_be_missing(tmp_path, name):
    with pytest.raises(MissingFileError, match="does not exist; give the path of a label file"):
        read_labels(tmp_path / name)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float64, bool])
def test_whole_numbers_of_any_type_are_labels(tmp_path, kind):
    np.save(tmp_path / "gt.npy", np.minimum(MAP, 1).astype(kind))
    np.testing.assert_array_equal(read_labels(tmp_path / "gt.npy"), np.minimum(MAP, 1))


def test_nan_is_unlabelled(tmp_path):
    np.save(tmp_path / "gt.npy", np.array([[np.nan, 3.0]]))
    np.testing.assert_array_equal(read_labels(tmp_path / "gt.npy"), [[0, 3]])


@pytest.mark.parametrize(
    ("values", "said"), [([[1.5, 1]], "holds 1.5"), ([[-1, 1]], "-1 to 1"), ([[np.inf, 1]], "inf")]
)
def test_values_that_are_no_classes_are_refused(tmp_path, values, said):
    np.save(tmp_path / "gt.npy", np.array(values))
    with pytest.raises(FormatError, match=said):
        read_labels(tmp_path / "gt.npy")


def test_a_cube_is_not_a_label_map(tmp_path):
    np.save(tmp_path / "gt.npy", np.ones((2, 3, 4)))
    with pytest.raises(ShapeError, match="expected numbers with 2 axes, rows and columns"):
        read_labels(tmp_path / "gt.npy")


def test_labels_that_fit_join_the_scene():
    np.testing.assert_array_equal(with_labels(SCENE, MAP.astype(np.int32), where="gt").labels, MAP)


def test_labels_of_another_size_are_refused_with_both_sizes():
    with pytest.raises(ShapeError, match="gt has 3×2 pixels, the scene plot has 2×3"):
        with_labels(SCENE, MAP.T.astype(np.int32), where="gt")


def test_a_class_without_a_name_is_refused_with_its_count():
    labels = np.where(MAP == 2, 7, MAP).astype(np.int32)
    with pytest.raises(
        UnknownNameError, match=r"gt: class 7 \(2 pixels\) has no name; named are 1 to 2"
    ):
        with_labels(SCENE, labels, where="gt")
    table = ClassTable({1: "Soil", 7: "Kerb"}, {"Soil": "soil"})
    assert with_labels(SCENE, labels, where="gt", classes=table).profile.class_names[7] == "Kerb"


def test_a_map_without_labels_is_refused():
    with pytest.raises(ShapeError, match="labels no pixel"):
        with_labels(SCENE, np.zeros((2, 3), np.int32), where="gt")


def test_a_class_table_round_trips(tmp_path):
    table = ClassTable(
        {1: "Roads, paved", 2: 'Grass "tall"', 3: "Ödland"}, {"Roads, paved": "built"}
    )
    assert read_class_table(write_class_table(table, tmp_path / "c.csv")) == table


def test_a_class_table_may_be_toml_or_json(tmp_path):
    (tmp_path / "c.toml").write_text('classes = [{value = 1, name = "a", kind = "soil"}]\n')
    (tmp_path / "c.json").write_text('{"classes": [{"value": 1, "name": "a", "kind": "soil"}]}')
    expected = ClassTable({1: "a"}, {"a": "soil"})
    assert read_class_table(tmp_path / "c.toml") == expected
    assert read_class_table(tmp_path / "c.json") == expected


def test_a_class_table_with_spaces_after_commas_and_without_kinds_is_read(tmp_path):
    (tmp_path / "c.csv").write_text("\ufeffvalue, name\r\n1, Corn\r\n", encoding="utf-8")
    assert read_class_table(tmp_path / "c.csv") == ClassTable({1: "Corn"}, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("value,name\n1,a,b,c\n", "more fields than columns"),
        ("value,name\nx,a\n", "value = 'x'"),
        ("value,nome\n1,a\n", "did you mean name"),
        ("value,name,kind\n1,a,tree\n", "kind = 'tree'"),
        ("value,name\n1,\n", "name"),
        ("value,name\n1,a\n1,b\n", "twice"),
    ],
)
def test_a_wrong_class_table_is_named_in_one_line(tmp_path, text, said):
    (tmp_path / "c.csv").write_text(text)
    with pytest.raises((FormatError, UnknownNameError), match=said) as caught:
        read_class_table(tmp_path / "c.csv")
    assert "c.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_class_table_is_said_to_be_missing(tmp_path):
    for name in ("c.csv", "c.toml"):
        with pytest.raises(MissingFileError, match="does not exist"):
            read_class_table(tmp_path / name)
