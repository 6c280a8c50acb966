"""Bin edges are drawn so that answers spread, and never onto a value that many blocks share."""

from earthexam.questions.hyperspectral.context import spread_edges


def test_published_edges_stay_where_answers_spread_under_them():
    assert spread_edges([0.1, 0.3, 0.6, 0.8], (0.25, 0.5, 0.75), step=0.05) == (0.25, 0.5, 0.75)


def test_edges_fall_between_the_extremes_that_many_blocks_share():
    shares = [0.0] * 20 + [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] + [1.0] * 20

    # Quartiles of 0.1 … 0.7 are 0.25, 0.4 and 0.55; the middle bins hold too few of all 47 blocks
    # under the published edges.
    assert spread_edges(shares, (0.25, 0.5, 0.75), step=0.05) == (0.25, 0.4, 0.55)


def test_two_values_alone_leave_the_published_edges():
    assert spread_edges([0.0] * 9 + [1.0] * 9, (0.25, 0.5, 0.75), step=0.05) == (0.25, 0.5, 0.75)
