import io

import numpy as np
import pytest
from PIL import Image

from earthexam.render.raster import (
    colour_infrared_png,
    colour_limits,
    composite_png,
    draw_composite,
    enlarge,
    enlargement,
    true_colour_png,
)

WAVELENGTHS = np.array([480.0, 560.0, 660.0, 850.0])


def make_cube(rows=20, cols=30, bands=16, seed=0):
    return np.random.default_rng(seed).random((rows, cols, bands), dtype=np.float32)


def decode(picture):
    with Image.open(io.BytesIO(picture.png)) as image:
        image.load()
        return image


def test_twelve_components_stand_in_three_rows_of_four():
    image = decode(composite_png(make_cube()))
    assert image.mode == "L"
    width, height = 30 * 12, 20 * 12
    assert 4 * width < image.width < 4.3 * width
    assert 3 * height < image.height < 3.6 * height
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.01)


def test_panels_are_shown_pixel_for_pixel():
    panels = np.arange(2 * 4 * 5, dtype=np.uint8).reshape(2, 4, 5)
    picture = draw_composite(panels, [0.42, 0.1])
    pixels = np.asarray(decode(picture))
    factor = enlargement(4, 5)
    assert factor == 56
    enlarged = enlarge(panels[1], factor)
    top, right = pixels.shape[0] - 8 - 224, pixels.shape[1] - 8
    assert np.array_equal(pixels[top : top + 224, right - 280 : right], enlarged)


def test_the_caption_shows_the_explained_variance():
    panels = np.zeros((1, 32, 32), dtype=np.uint8)
    first, second = (draw_composite(panels, [share]) for share in (0.42, 0.421))
    assert first.png != second.png
    caption = np.asarray(decode(first))[:32]
    assert caption.min() == 0
    assert caption.max() == 255


def test_fewer_bands_give_fewer_panels():
    one, five = (composite_png(make_cube(bands=n)) for n in (1, 5))
    assert five.width > 3.9 * one.width
    assert five.height > 1.9 * one.height - 10


def test_a_narrow_strip_keeps_room_for_its_captions():
    picture = composite_png(make_cube(600, 3, 12))
    assert picture.width >= 4 * 100
    assert picture.height < 3 * 4200


def test_large_panels_keep_their_size():
    assert enlargement(224, 500) == 1
    assert enlargement(223, 500) == 2


@pytest.mark.parametrize("draw", [composite_png, true_colour_png, colour_infrared_png])
def test_the_same_cube_gives_the_same_bytes(draw):
    assert draw(make_cube()).png == draw(make_cube().copy()).png


def test_true_colour_shows_red_green_and_blue_in_their_channels():
    cube = np.zeros((10, 10, 4), dtype=np.float32)
    for band in range(4):
        cube[band, :, band] = 1
    pixels = np.asarray(decode(true_colour_png(cube, WAVELENGTHS)))[::23, 0]
    assert pixels[:4].tolist() == [[0, 0, 255], [0, 255, 0], [255, 0, 0], [0, 0, 0]]
    pixels = np.asarray(decode(colour_infrared_png(cube, WAVELENGTHS)))[::23, 0]
    assert pixels[:4].tolist() == [[0, 0, 0], [0, 0, 255], [0, 255, 0], [255, 0, 0]]


def test_two_dates_with_shared_limits_show_equal_values_alike():
    before = make_cube(bands=4)
    after = before * 2
    after[0, 0] = before[0, 0]
    limits = colour_limits([before, after], wavelengths_nm=WAVELENGTHS)
    first, second = (decode(true_colour_png(c, WAVELENGTHS, limits)) for c in (before, after))
    assert first.getpixel((0, 0)) == second.getpixel((0, 0))
    assert np.asarray(second).mean() > np.asarray(first).mean()


def test_masked_pixels_are_black():
    cube = make_cube()
    cube[0, 0] = np.nan
    assert decode(true_colour_png(cube)).getpixel((0, 0)) == (0, 0, 0)
