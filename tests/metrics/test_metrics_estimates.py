import numpy as np
import pytest

from salticid.metrics.parts.retrieval import estimated_recall, estimated_recency, mean_so_far, product, product_se

DAY = 86_400.0
INDEXED = 1_000_000_000.0


def test_precision_is_the_mean_similarity_and_recall_the_sum() -> None:
    similarity = np.array([0.5, 0.0, 0.25, 0.25])
    precision, recall = mean_so_far(similarity), estimated_recall(similarity)
    assert precision.tolist() == pytest.approx([0.5, 0.25, 0.25, 0.25])
    assert recall.tolist() == pytest.approx([0.5, 0.5, 0.75, 1.0])
    assert recall.tolist() == pytest.approx((precision * [1, 2, 3, 4]).tolist())
    assert estimated_recall(np.zeros(0)).tolist() == []


def test_a_page_that_did_not_change_since_it_was_indexed_is_current() -> None:
    modified = INDEXED + DAY * np.array([-300.0, 0.0])
    assert estimated_recency(modified, INDEXED).tolist() == [1, 1]


def test_recency_falls_with_the_days_since_indexing() -> None:
    # 1/(1+1), 1/(1+3), 1/(1+0.5): means 1/2, 3/8, (1/2 + 1/4 + 2/3) / 3.
    modified = INDEXED + DAY * np.array([1.0, 3.0, 0.5])
    assert estimated_recency(modified, INDEXED).tolist() == pytest.approx([1 / 2, 3 / 8, 17 / 36])


def test_each_page_may_have_its_own_day_of_indexing() -> None:
    indexed = INDEXED + DAY * np.array([0.0, 2.0, np.nan])
    modified = INDEXED + DAY * np.array([1.0, 1.0, 1.0])
    assert estimated_recency(modified, indexed).tolist() == pytest.approx([1 / 2, 3 / 4, 3 / 4])


def test_pages_without_a_date_are_left_out_and_without_any_there_is_no_recency() -> None:
    modified = np.array([np.nan, INDEXED + DAY, np.nan, INDEXED])
    assert estimated_recency(modified, INDEXED).tolist() == pytest.approx([np.nan, 0.5, 0.5, 0.75], nan_ok=True)
    assert np.isnan(estimated_recency(np.full(3, np.nan), INDEXED)).tolist() == [True, True, True]
    assert np.isnan(estimated_recency(np.zeros(2), np.nan)).tolist() == [True, True]
    assert estimated_recency(np.zeros(0), INDEXED).tolist() == []


def test_the_product_and_its_error() -> None:
    recency, recall = np.array([1.0, 0.5, np.nan]), np.array([0.2, 3.0, 4.0])
    assert product(recency, recall).tolist() == pytest.approx([0.2, 1.5, np.nan], nan_ok=True)
    # 1 * 0.1 + 0.2 * 0 and 0.5 * 0.4 + 3 * 0.1; what has no recency has no error either.
    errors = product_se(recency, np.array([0.0, 0.1, np.nan]), recall, np.array([0.1, 0.4, 0.5]))
    assert errors.tolist() == pytest.approx([0.1, 0.5, np.nan], nan_ok=True)
