import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earthexam.core.errors import InputError, ShapeError
from earthexam.spectral.tiles import choose_tile_size, count_cover, cut_tiles, stitch

SIDES = st.integers(1, 60)


@given(rows=SIDES, cols=SIDES, size=st.integers(1, 25))
def test_cutting_and_stitching_gives_the_scene_back(rows, cols, size):
    scene = np.arange(rows * cols).reshape(rows, cols)
    tiles = cut_tiles(rows, cols, size)
    blocks = [tile.cut(scene) for tile in tiles]
    assert {block.shape for block in blocks} == {(min(size, rows), min(size, cols))}
    assert np.array_equal(stitch(tiles, blocks, rows, cols), scene)


@given(rows=SIDES, cols=SIDES, size=st.integers(1, 25))
def test_no_window_could_be_spared(rows, cols, size):
    tiles = cut_tiles(rows, cols, size)
    assert len(tiles) == -(-rows // size) * -(-cols // size)
    assert [tile.index for tile in tiles] == list(range(len(tiles)))


def test_windows_that_divide_the_scene_do_not_overlap():
    assert (count_cover(cut_tiles(64, 96, 32), 64, 96) == 1).all()


def test_the_overlap_is_spread_evenly():
    starts = [tile.col for tile in cut_tiles(10, 145, 32)]
    assert starts == [0, 28, 56, 85, 113]


def test_overlapping_maps_keep_the_first_windows_pixels():
    tiles = cut_tiles(1, 3, 2)
    blocks = [np.array([[1, 1]]), np.array([[2, 2]])]
    assert stitch(tiles, blocks, 1, 3).tolist() == [[1, 1, 2]]


def test_cubes_are_stitched_with_all_bands():
    scene = np.arange(24).reshape(3, 4, 2)
    tiles = cut_tiles(3, 4, 3)
    assert np.array_equal(stitch(tiles, [t.cut(scene) for t in tiles], 3, 4), scene)


def test_a_block_in_the_wrong_place_is_refused():
    with pytest.raises(ShapeError, match="its window 2 x 2"):
        stitch(cut_tiles(2, 2, 2), [np.zeros((3, 2))], 2, 2)


def test_a_window_without_pixels_is_refused():
    with pytest.raises(InputError, match="windows of 0"):
        cut_tiles(10, 10, 0)


@given(rows=SIDES, cols=SIDES, at_least=st.integers(1, 40))
def test_the_chosen_size_is_the_largest_that_gives_enough_windows(rows, cols, at_least):
    if rows * cols < at_least:
        with pytest.raises(InputError, match="fewer"):
            choose_tile_size(rows, cols, at_least)
        return
    size = choose_tile_size(rows, cols, at_least)
    assert len(cut_tiles(rows, cols, size)) >= at_least
    if size < max(rows, cols):
        assert len(cut_tiles(rows, cols, size + 1)) < at_least
