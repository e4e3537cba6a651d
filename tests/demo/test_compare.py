"""The comparison tolerates rounding and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from accel.demo.compare import compare_findings
from accel.demo.findings import Findings
from accel.demo.reference import Reference, compute_reference


@pytest.fixture
def reference(stars):
    return compute_reference(stars)


def ours(reference: Reference, **changes) -> Findings:
    fields = {name: getattr(reference, name) for name in ("response", "marked", "centre", "spread", "threshold")}
    return Findings(**{**fields, **changes})


def flipped(found, row, column):
    found = found.copy()
    found[row, column] ^= True
    return found


def test_the_same_agrees(reference):
    comparison = compare_findings(ours(reference), reference)
    assert comparison.agrees
    assert comparison.largest == 0
    assert comparison.complaints() == []


def test_rounding_is_forgiven(reference):
    assert compare_findings(ours(reference, response=reference.response * (1 + 1e-15)), reference).agrees


def test_a_response_that_differs_is_named(reference):
    response = reference.response.copy()
    response[4, 9] += 1e-3
    comparison = compare_findings(ours(reference, response=response), reference)
    assert not comparison.agrees
    assert comparison.complaints() == ["the responses differ by 0.001 at row 4, column 9; 1e-10 is allowed"]


@pytest.mark.parametrize("value", [-np.inf, np.inf, np.nan])
def test_a_response_that_is_no_number_is_named(reference, value):
    response = reference.response.copy()
    response[4, 9] = value
    comparison = compare_findings(ours(reference, response=response), reference)
    assert not comparison.agrees
    assert "row 4, column 9" in comparison.complaints()[0]


def test_a_detection_that_differs_is_named(reference):
    comparison = compare_findings(ours(reference, marked=flipped(reference.marked, 7, 8)), reference)
    assert not comparison.agrees
    [complaint] = comparison.complaints()
    assert complaint.startswith("row 7, column 8 is marked by the pipeline, not by the reference")


def test_a_detection_that_is_missing_is_named(reference):
    row, column = np.argwhere(reference.marked)[0]
    comparison = compare_findings(ours(reference, marked=flipped(reference.marked, row, column)), reference)
    assert "marked by the reference, not by the pipeline" in comparison.complaints()[0]


def test_a_detection_on_the_boundary_is_forgiven_and_counted(reference):
    margin = reference.margin.copy()
    margin[7, 8] = 1e-12
    doubtful = replace(reference, margin=margin)
    comparison = compare_findings(ours(reference, marked=flipped(reference.marked, 7, 8)), doubtful)
    assert comparison.agrees
    assert comparison.close_calls == 1


def test_many_differences_are_counted(reference):
    complaints = compare_findings(ours(reference, marked=~reference.marked), reference).complaints()
    assert complaints[-1] == f"and {reference.marked.size - 5} more detections differ"


def test_the_margin_is_what_it_takes_to_change_a_decision(reference):
    excess = reference.response - reference.threshold
    assert (reference.margin[reference.marked] <= excess[reference.marked]).all()
    assert (reference.margin[excess < 0] >= -excess[excess < 0]).all()
