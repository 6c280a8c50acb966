"""Scale, offset and nodata, applied in one place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from earthexam.sources.values import Coding, decode


def cube(values, dtype):
    return np.array([[values]], dtype=dtype)


def test_unsigned_counts_below_the_offset_become_negative_instead_of_wrapping():
    decoded = decode(cube([500, 1718], np.uint16), Coding((1e-4,), (-0.1,)))
    np.testing.assert_allclose(decoded[0, 0], [-0.05, 0.0718], atol=1e-7)


def test_nodata_is_compared_with_the_stored_value_and_not_with_the_scaled_one():
    decoded = decode(cube([0, 1000], np.uint16), Coding((1e-3,), (-1.0,), (0.0,)))
    np.testing.assert_array_equal(decoded[0, 0], [np.nan, 0])


@pytest.mark.parametrize("nodata", [-9999.0, 1e39, 0.5, np.nan, np.inf])
def test_a_nodata_value_that_the_type_cannot_hold_masks_nothing(nodata):
    assert np.isfinite(decode(cube([0, 1, 255], np.uint8), Coding(nodata=(nodata,)))).all()


def test_the_lowest_float_as_nodata_is_found():
    lowest = float(np.finfo(np.float32).min)
    decoded = decode(cube([lowest, 1], np.float32), Coding(nodata=(lowest,)))
    np.testing.assert_array_equal(decoded[0, 0], [np.nan, 1])


def test_values_beyond_single_precision_are_masked_as_infinite():
    np.testing.assert_array_equal(decode(cube([1e300, 1], np.float64), Coding())[0, 0], [np.nan, 1])


def test_large_integers_keep_their_digits_through_the_arithmetic():
    decoded = decode(cube([2**30 + 1], np.int32), Coding((1.0,), (-(2.0**30),)))
    assert decoded[0, 0, 0] == 1


def test_masked_values_of_a_masked_array_are_nan():
    stored = np.ma.MaskedArray(cube([1, 2], np.int16), [[[True, False]]])
    np.testing.assert_array_equal(decode(stored, Coding())[0, 0], [np.nan, 2])


def test_a_scale_for_each_band_follows_the_order_of_the_bands():
    coding = Coding((1.0, 2.0, 3.0), (0.0,)).of_bands((2, 0))
    assert coding == Coding((3.0, 1.0), (0.0,))
    assert Coding((2.0, 2.0)).of_bands((1, 0)).scale == (2.0,)


@given(arrays.arrays(np.uint16, (2, 3, 4)), st.integers(0, 65535))
def test_plain_counts_pass_unchanged_but_for_nodata(stored, nodata):
    decoded = decode(stored, Coding(nodata=(float(nodata),)))
    np.testing.assert_array_equal(np.isnan(decoded), stored == nodata)
    np.testing.assert_array_equal(decoded[stored != nodata], stored[stored != nodata])
