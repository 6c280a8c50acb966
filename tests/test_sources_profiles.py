"""Scene profiles: the shipped table and the user's descriptions."""

import pytest

from earthexam.core.errors import FormatError, MissingFileError, UnknownNameError
from earthexam.core.scene import Profile
from earthexam.sources.numpy_array import write_array
from earthexam.sources.profiles import (
    Description,
    known_profile,
    known_scenes,
    load_description,
    load_profile,
    recognise,
)

KINDS = {"vegetation", "soil", "water", "built", "other"}


def toml(folder, text, name="p.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_description_gives_its_profile(tmp_path):
    path = toml(
        tmp_path,
        'quantity = "reflectance"\nscale = 1e-4\nnodata = [0]\nwavelengths_nm = [450, 550.5]\n'
        'time = "2024-05-01"\n[[classes]]\nvalue = 1\nname = "Spinach"\nkind = "vegetation"\n'
        '[[classes]]\nvalue = 7\nname = "Kerb"\n',
    )
    expected = Profile(
        "p", quantity="reflectance", scale=1e-4, nodata=(0.0,), wavelengths_nm=(450.0, 550.5),
        class_names={1: "Spinach", 7: "Kerb"}, class_kinds={"Spinach": "vegetation"},
    )  # fmt: skip
    assert load_description(path) == Description(expected, "2024-05-01")


def test_a_json_description_says_the_same_as_a_toml(tmp_path):
    first = toml(tmp_path, 'sensor = "X"\nresolution_m = 2\n')
    second = toml(tmp_path, '{"sensor": "X", "resolution_m": 2}', "p.json")
    assert load_profile(first) == load_profile(second)


def test_an_unknown_key_brings_the_nearest(tmp_path):
    with pytest.raises(
        UnknownNameError, match=r"called 'wavelength_nm'; did you mean wavelengths_nm"
    ):
        load_profile(toml(tmp_path, "wavelength_nm = [1]\n"))
    with pytest.raises(UnknownNameError, match="did you mean kind"):
        load_profile(toml(tmp_path, 'classes = [{value = 1, name = "a", kinds = "soil"}]\n'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('quantity = "albedo"', "quantity = 'albedo'"),
        ("resolution_m = 0", "resolution_m = 0"),
        ("scale = nan", "scale"),
        ('classes = [{value = 1, name = "a", kind = "tree"}]', "kind = 'tree'"),
        ('classes = [{value = 1, name = "a"}, {value = 2, name = "a"}]', "twice"),
        ('classes = [{value = 1, name = "a"}, {value = 1, name = "b"}]', "twice"),
        ("classes = 3", "list of tables"),
        ("a = = 1", "does not parse"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(tmp_path, text, said):
    with pytest.raises(FormatError, match=said) as caught:
        load_profile(toml(tmp_path, text))
    assert "p.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_description_is_said_to_be_missing(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        load_profile(tmp_path / "none.toml")


def test_a_written_description_reads_back(tmp_path):
    import numpy as np

    profile = Profile(
        'A "quoted" ÅÄ', "s", "p", "t", 2.5, "radiance", 0.002, -2.0, (0.0, -9999.0), (400.02, 1e3),
        (1, 2), {1: "Corn", 2: "Straße, \\ old"}, {"Corn": "vegetation"}, "CC-BY-3.0", "somebody",
    )  # fmt: skip
    described = Description(profile, "1992-06-12", "made up\nof two lines")
    write_array(np.zeros((1, 1, 2)), described, tmp_path / "a.npy")
    assert load_description(tmp_path / "a.toml") == described


@pytest.mark.parametrize("name", list(known_scenes()))
def test_each_shipped_profile_is_consistent(name):
    scene = known_scenes()[name]
    profile = scene.profile
    assert profile.citation
    assert profile.sensor
    assert profile.platform.startswith(("airborne", "spaceborne", "UAV", "planetary"))
    assert list(profile.class_names) == list(range(1, len(profile.class_names) + 1))
    assert set(profile.class_kinds) == set(profile.class_names.values())
    assert set(profile.class_kinds.values()) <= KINDS
    assert all(0 <= band < scene.shape[2] for band in profile.dropped_bands)
    assert scene.keys


@pytest.mark.parametrize(
    ("name", "kept"), [("indian_pines_220", 200), ("salinas_224", 204), ("urban_210", 162)]
)
def test_dropped_bands_leave_the_published_number(name, kept):
    scene = known_scenes()[name]
    assert scene.shape[2] - len(scene.profile.dropped_bands) == kept


@pytest.mark.parametrize(
    ("name", "classes"),
    [("salinas", 16), ("pavia_university", 9), ("ksc", 13), ("botswana", 14), ("houston_2013", 15),
     ("houston_2018", 20), ("whu_hi_longkou", 9), ("whu_hi_hanchuan", 16), ("whu_hi_honghu", 22)],
)  # fmt: skip
def test_known_scenes_have_the_published_number_of_classes(name, classes):
    assert len(known_profile(name).class_names) == classes


def test_recognition_needs_shape_and_name():
    assert recognise((512, 614, 176), ("KSC", "x")) == known_profile("ksc")
    assert recognise((512, 614, 176), ("x", "y")) is None
    assert recognise((512, 614, 175), ("KSC",)) is None
    assert recognise((430, 595, 440), ("Holden_crater",)) == known_profile("mars_holden")


def test_the_sizes_of_the_published_sets_agree(shared):
    import csv

    with (shared / "data" / "hm_bench_datasets.csv").open(encoding="utf-8") as file:
        published = {row["dataset"]: row for row in csv.DictReader(file)}
    pairs = {
        "IndianPines": "indian_pines", "Salinas": "salinas", "Xiongan": "xiongan",
        "Pavia Center": "pavia_centre", "Pavia University": "pavia_university", "Botswana": "botswana",
        "Kennedy Space Center (KSC)": "ksc", "WHU-Hi-HanChuan": "whu_hi_hanchuan",
        "WHU-Hi-HongHu": "whu_hi_honghu", "WHU-Hi-LongKou": "whu_hi_longkou", "Urban": "urban",
        "Hermiston": "hermiston", "BayArea": "bay_area", "SantaBarbara": "santa_barbara",
        "WashingtonDC": "washington_dc", "MARS-Holden": "mars_holden", "MARS-Utopia": "mars_utopia",
        "MARS-Nilifossae": "mars_nili_fossae",
    }  # fmt: skip
    for title, name in pairs.items():
        row, scene = published[title], known_scenes()[name]
        assert int(row["bands"]) == scene.shape[2], title
        resolution = scene.profile.resolution_m
        if row["resolution"] and resolution:
            assert float(row["resolution"].split()[0]) == resolution, title
