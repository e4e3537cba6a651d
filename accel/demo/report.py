"""The report of the demo: one self-contained HTML page."""

from collections.abc import Sequence
from html import escape

from PIL import Image

import accel
from accel.demo.annotate import annotated, data_uri
from accel.demo.chart import close_up, timeline_chart
from accel.demo.html import fact_list, page, table, version_section
from accel.demo.memory import process_peak
from accel.demo.outcome import Outcome
from accel.demo.timeline import Timeline, in_seconds
from accel.memory.sizes import in_words
from accel.support.device_names import GPU_TYPES

__all__ = ["report_page"]

_PACKAGES = ("accel-container", "numpy", "array-api-compat", "scikit-image", "pillow")


def report_page(outcomes: Sequence[Outcome], device: accel.Device, races: Sequence[str] = ()) -> str:
    """Return the page about the results of a device and the races that it reported."""
    pictures = (_picture(outcome, device) for outcome in outcomes)
    sections = [_head(outcomes, device), _races(device, races), *pictures, _memory(), _devices()]
    return page("accel demo", [*sections, version_section(_PACKAGES)])


def _head(outcomes: Sequence[Outcome], device: accel.Device) -> str:
    names = " and ".join(outcome.picture.title for outcome in outcomes) or "No picture was finished"
    facts = {
        "Device": f"{device}, simulated" if device.type == "sim" else str(device),
        "Tiles": str(sum(outcome.tiles for outcome in outcomes)),
        "Pipeline": in_seconds(sum(outcome.seconds for outcome in outcomes)),
        "Peak memory of the process": process_peak(),
    }
    if accel.config.current().debug:
        facts["Debug mode"] = "each access of kernels was checked"
    return (
        f"<h1>{escape(names)}</h1>\n"
        '<p class="soft">Each picture was cut into tiles, which were copied to the device and filtered there: by three '
        "kernels, and by functions of the Python array API standard. The result was compared with that of NumPy "
        f"for the whole picture.</p>\n{fact_list(facts)}\n"
    )


def _races(device: accel.Device, races: Sequence[str]) -> str:
    if device.type != "sim":
        return ""
    seed = accel.config.current().sim_seed
    if races:
        reports = "".join(f"<li>{escape(report)}</li>" for report in races)
        verdict = f'<p class="verdict bad">&#10007; A race was seen, which ended the run.</p>\n<ul>{reports}</ul>\n'
    else:
        verdict = '<p class="verdict good">&#10003; No race was seen.</p>\n'
    return (
        f"<section>\n<h2>Simulated device</h2>\n{verdict}"
        f'<p class="soft">{device} is simulated by the host. Work on its streams runs late, interleaved in a random '
        f"order (sim_seed={seed}). Unordered work that uses the same bytes is reported as a race. "
        f"Set ACCEL_SIM_SEED={seed + 1} in the environment for another order.</p>\n</section>\n"
    )


def _picture(outcome: Outcome, device: accel.Device) -> str:
    picture, findings = outcome.picture, outcome.findings
    facts = {
        "Size": outcome.size,
        "Detections": f"{findings.count:,}",
        "Threshold": f"{findings.threshold:.2f}",
        "Median response": f"{findings.centre:.2f}",
        "Standard deviation": f"{findings.spread:.2f}",
        "Tiles": str(outcome.tiles),
        "Kernels": in_seconds(outcome.timeline.total("prepare")),
        "Pipeline": in_seconds(outcome.seconds),
        "Reference": in_seconds(outcome.timeline.total("reference")),
    }
    return (
        f"<section>\n<h2>{escape(picture.title)}: {findings.count:,} {escape(picture.finds)}</h2>\n"
        f"{_verdict(outcome)}{_figure(outcome)}{fact_list(facts)}"
        f"<h3>Strongest detections</h3>\n{_strongest(outcome)}"
        f"{_timeline(outcome.timeline, device)}</section>\n"
    )


def _timeline(timeline: Timeline, device: accel.Device) -> str:
    return (
        f'<h3>When each step ran</h3>\n<div class="scroll">{timeline_chart(timeline)}</div>\n'
        f'<p class="soft">{_clock(device)} The step prepare computes the middle of the picture first: it compiles the '
        "kernels, or loads them from the disk.</p>\n"
        f'<h3>Close-up of one copy in, the middle one</h3>\n<div class="scroll">{close_up(timeline)}</div>\n'
        '<p class="soft">Each tile should be copied in while the one before it is computed. Of the time of all copies '
        f"in, <strong>{timeline.overlap():.0%}</strong> passed while another tile was computed.</p>\n"
    )


def _clock(device: accel.Device) -> str:
    """Explain which clock measured the times of a device."""
    if device is accel.Device.CPU:
        return (
            "All times were measured with the clock of the host. On the CPU a stream copies in its own thread, and the "
            "main thread does everything else."
        )
    if device.type == "sim":
        return (
            "Steps of the host (load, prepare, copy out, reference, and cut in the first sweep) were measured with its "
            "clock. Steps of the device are simulated on the same clock: work begins when the host has submitted it "
            "and its stream is free, and takes as long as a slow accelerator would need to move its bytes. A compute "
            "step lasts from its first operation to the end of its last, including pauses in which the host had not "
            "yet submitted the next operation."
        )
    return "Steps of the host were measured with its clock, and steps of the device with the events of its streams."


def _verdict(outcome: Outcome) -> str:
    comparison = outcome.comparison
    if comparison.agrees:
        return (
            '<p class="verdict good">&#10003; The reference agrees.</p>\n'
            f'<p class="soft">All detections are the same; {comparison.close_calls} pixels too close to a threshold '
            f"were not compared. The responses differ by at most {comparison.largest:.1e}; rounding may cause up to "
            f"{comparison.allowed:.1e}.</p>\n"
        )
    complaints = "".join(f"<li>{escape(complaint)}</li>" for complaint in comparison.complaints())
    return f'<p class="verdict bad">&#10007; The reference differs.</p>\n<ul class="bad">{complaints}</ul>\n'


def _figure(outcome: Outcome) -> str:
    picture = outcome.picture
    title = escape(picture.title)
    plain, marked = Image.fromarray(picture.pixels), annotated(picture, outcome.findings, outcome.leading)
    return (
        f'<figure>\n<div class="pictures"><img src="{data_uri(plain)}" alt="{title}">'
        f'<img class="marked" src="{data_uri(marked)}" alt="{title} with detections marked"></div>\n'
        '<label class="toggle"><input type="checkbox" checked> Show the detections</label>\n'
        f"<figcaption>{escape(picture.legend)} The numbers refer to the table below. "
        f"Picture: {escape(picture.credit)}.</figcaption>\n</figure>\n"
    )


def _strongest(outcome: Outcome) -> str:
    rows = (
        (number, spot.row, spot.column, f"{spot.value:.2f}", f"{spot.significance:.1f}")
        for number, spot in enumerate(outcome.leading, 1)
    )
    return table(("", "Row", "Column", "Response", "Significance"), rows) + (
        '<p class="soft">Significance is in robust standard deviations above the median. '
        f"Any two of these are at least {outcome.apart} pixels apart along one axis.</p>\n"
    )


def _memory() -> str:
    rows = (
        (usage.device, in_words(usage.live_bytes), in_words(usage.peak_bytes))
        for usage in accel.memory.snapshot().devices
    )
    containers = table(("Device", "In containers now", "Peak in containers"), rows)
    peak = f"Peak memory of the process: {process_peak()}."
    return f"<section>\n<h2>Memory</h2>\n<p>{peak}</p>\n{containers}</section>\n"


def _devices() -> str:
    fell_back = [(fall.request, fall.used, fall.reason) for fall in dict.fromkeys(accel.device.fallbacks())]
    fallbacks = table(("Asked for", "Used", "Why"), fell_back, "words")
    missing = [(kind, accel.Device[kind.upper()].why_unavailable()) for kind in GPU_TYPES]
    absent = [row for row in missing if row[1]]
    return (
        "<section>\n<h2>Devices</h2>\n<h3>Fallbacks to the CPU</h3>\n"
        f"{fallbacks if fell_back else '<p>None: all work ran on the requested device.</p>'}\n"
        f"<h3>Unavailable accelerators</h3>\n{table(('Device', 'Why'), absent, 'words')}</section>\n"
    )
