import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from earthexam.spectral.normalise import (
    scale_to_range,
    standardise,
    stretch,
    stretch_limits,
    to_uint8,
)


def test_stretch_clips_the_lowest_and_highest_two_percent():
    ramp = np.arange(101, dtype=np.float32).reshape(101, 1, 1)
    stretched = stretch(ramp)[:, 0, 0]
    assert stretched[:3].tolist() == [0, 0, 0]
    assert stretched[98:].tolist() == [1, 1, 1]
    assert np.isclose(stretched[50], 0.5)


def test_masked_pixels_stay_masked_and_do_not_move_the_limits():
    ramp = np.arange(101, dtype=np.float32).reshape(101, 1, 1)
    masked = np.concatenate([ramp, np.full((400, 1, 1), np.nan, dtype=np.float32)])
    assert np.array_equal(stretch_limits(masked), stretch_limits(ramp))
    assert np.isnan(stretch(masked)[101:]).all()


def test_a_constant_band_is_middle_grey():
    flat = np.array([[[7.0], [np.nan]]], dtype=np.float32)
    for scaled in (stretch(flat), scale_to_range(flat)):
        assert scaled[0, 0, 0] == 0.5
        assert np.isnan(scaled[0, 1, 0])


def test_an_empty_band_stays_empty_without_a_warning():
    empty = np.full((2, 2, 1), np.nan, dtype=np.float32)
    assert np.isnan(stretch(empty)).all()
    assert np.isnan(scale_to_range(empty)).all()


def test_two_dates_with_shared_limits_give_equal_values_equal_grey():
    before = np.linspace(0, 1, 50, dtype=np.float32).reshape(50, 1, 1)
    after = before + 1
    limits = stretch_limits(before, after)
    assert stretch(before, limits)[49] == stretch(after, limits)[0]


def test_z_scores_have_mean_zero_and_deviation_one():
    cube = np.array([[[1.0, 5.0]], [[3.0, 5.0]], [[np.nan, 5.0]]], dtype=np.float32)
    z = standardise(cube)
    assert z[:2, 0, 0].tolist() == [-1.0, 1.0]
    assert np.isnan(z[2, 0, 0])
    assert z[:, 0, 1].tolist() == [0.0, 0.0, 0.0]


def test_bytes_round_half_up_and_clip():
    values = np.array([-1.0, 0.5 / 255, 0.49 / 255, 1.0, 2.0, np.nan])
    assert to_uint8(values).tolist() == [0, 1, 0, 255, 255, 0]


@given(
    arrays(np.float32, (4, 3, 2), elements=st.floats(-1e6, 1e6, width=32)),
)
def test_scaling_to_the_range_keeps_order_and_reaches_both_ends(cube):
    scaled = scale_to_range(cube)
    assert scaled.min() >= 0
    assert scaled.max() <= 1
    for band in range(2):
        values, result = cube[..., band].ravel(), scaled[..., band].ravel()
        assert (np.diff(result[np.argsort(values, kind="stable")]) >= 0).all()
