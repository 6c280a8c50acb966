import io

import numpy as np
import pytest
from PIL import Image, ImageColor

from earthexam.core.errors import InputError, ShapeError
from earthexam.render.chart import COLOURS, Curve, mean_curve, pixel_curves, spectra_png

WAVELENGTHS = np.concatenate([np.arange(400.0, 1350, 10), np.arange(1450.0, 1800, 10)])


def decode(picture):
    with Image.open(io.BytesIO(picture.png)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def columns_of(pixels, colour):
    wanted = np.array(ImageColor.getrgb(colour))
    below_legend = pixels[84:]
    return np.flatnonzero((np.abs(below_legend - wanted).sum(axis=2) < 30).any(axis=0))


def test_the_line_breaks_where_water_bands_were_dropped():
    curve = Curve("mean", np.sin(WAVELENGTHS / 200))
    columns = columns_of(decode(spectra_png([curve], WAVELENGTHS, "radiance")), COLOURS[0])
    gaps = np.diff(columns)
    assert (gaps > 10).sum() == 1
    assert gaps.max() == pytest.approx((960 - 96 - 24) * 110 / (1790 - 400), abs=8)


def test_the_line_breaks_at_missing_values():
    values = np.linspace(0, 1, 50)
    values[20:30] = np.nan
    assert (
        np.diff(columns_of(decode(spectra_png([Curve("a", values)])), COLOURS[0])) > 10
    ).sum() == 1


def test_a_lonely_band_is_a_dot():
    values = np.full(21, np.nan)
    values[10] = 1.0
    columns = columns_of(decode(spectra_png([Curve("a", values)])), COLOURS[0])
    assert columns.mean() == pytest.approx((96 + 960 - 24) / 2, abs=2)


def test_every_curve_has_a_colour_of_its_own():
    curves = [Curve(f"pixel {n}", np.full(10, float(n))) for n in range(len(COLOURS))]
    pixels = decode(spectra_png(curves))
    assert all(len(columns_of(pixels, colour)) > 700 for colour in COLOURS)


def test_the_same_curves_give_the_same_bytes():
    curves = [Curve("a", np.arange(10.0)), Curve("b", np.arange(10.0)[::-1])]
    assert spectra_png(curves).png == spectra_png(list(curves)).png


def test_one_band_and_a_constant_can_be_drawn():
    picture = spectra_png([Curve("a", np.array([5.0]))], np.array([550.0]), "counts")
    assert (picture.width, picture.height) == (960, 600)


def test_the_mean_runs_over_valid_pixels():
    cube = np.array([[[1, 2, np.nan], [3, 4, np.nan], [np.nan, 9, np.nan]]], dtype=np.float32)
    mean = mean_curve(cube)
    assert mean.values[:2].tolist() == [2, 3]
    assert np.isnan(mean.values[2])
    assert pixel_curves(cube, [(0, 1)], ["A"])[0].values[:2].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("curves", "error"),
    [
        ([], InputError),
        ([Curve("a", np.ones(3))] * 8, InputError),
        ([Curve("a", np.ones(3)), Curve("b", np.ones(4))], ShapeError),
        ([Curve("a", np.full(3, np.nan))], InputError),
    ],
)
def test_what_cannot_be_drawn_is_refused(curves, error):
    with pytest.raises(error):
        spectra_png(curves)


def test_a_cube_without_a_valid_pixel_has_no_mean():
    with pytest.raises(InputError, match="mask"):
        mean_curve(np.full((2, 2, 3), np.nan, dtype=np.float32))
