"""The page in a real browser: no errors, no network, no sideways scrolling, all by keyboard.

Needs Chromium and the package playwright; without them the tests skip, or fail when
``EARTHEXAM_REQUIRE_ALL=1`` is set.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from earthexam.benchmark.store import BenchmarkWriter
from earthexam.core.item import Item, Media
from earthexam.evaluate.folder import (
    REPLIES_FILE,
    ReplyRecord,
    RunInfo,
    ScoreRecord,
    write_run_info,
    write_scores,
)
from earthexam.models.protocol import Key
from earthexam.report.collect import collect_report
from earthexam.report.page import render_page
from factories import make_item
from report_example import HOSTILE, write_example
from small_benchmark import make_benchmark, png

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@dataclass
class Opened:
    """A page in the browser, with what it said and asked for."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        without("the package playwright is not installed")
    if CHROMIUM is None:
        without("Chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield started
        started.close()


def without(reason: str) -> None:
    if os.environ.get("EARTHEXAM_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    _, runs = write_example(folder, per_task=2, blocks=4)
    path = folder / "index.html"
    path.write_text(render_page(collect_report(runs)), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser: Any, file: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    settings = {"viewport": {"width": 1280, "height": 900}} | getattr(request, "param", {})
    context = browser.new_context(**settings)
    found = Opened(context.new_page())
    found.page.on("console", lambda said: found.errors.append(said.text))
    found.page.on("pageerror", lambda error: found.errors.append(str(error)))
    found.page.on("request", lambda asked: found.requests.append(asked.url))
    found.page.goto(file.as_uri())
    yield found
    context.close()


def selected(page: Any) -> str:
    return page.locator('#item-list [aria-selected="true"] .mono').inner_text()


def shown(page: Any) -> str:
    return page.locator("#item-case h3").inner_text()


def test_it_opens_from_disk_without_errors_or_network(opened, file):
    opened.page.locator("#item-case img").first.wait_for()
    assert opened.errors == []
    asked = [url for url in opened.requests if not url.startswith("data:")]
    assert asked == [file.as_uri()]


def test_every_picture_of_the_first_item_is_drawn(opened):
    opened.page.wait_for_function(
        "[...document.querySelectorAll('#item-case img')].every(image => image.naturalWidth > 0)"
    )
    assert opened.page.locator("#item-case img").count() == 2


@pytest.mark.parametrize(
    "opened",
    [
        {"viewport": {"width": 400, "height": 800}},
        {"viewport": {"width": 400, "height": 800}, "color_scheme": "dark"},
        {"viewport": {"width": 1280, "height": 900}},
    ],
    indirect=True,
    ids=["phone", "phone-dark", "desk"],
)
def test_the_page_never_scrolls_sideways(opened):
    opened.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width <= opened.page.viewport_size["width"]


def test_what_models_say_does_not_run(opened):
    page = opened.page
    page.fill("#filter-text", "onerror")
    assert page.locator("#item-list [role=option]").count() >= 1
    assert HOSTILE in page.locator("#item-case").inner_text()
    assert page.title() == "Example of a hyperspectral benchmark: results"
    assert page.locator("#item-case img[src=x]").count() == 0


def test_the_first_tab_stop_skips_to_the_results(opened):
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.className") == "skip"
    opened.page.keyboard.press("Enter")
    assert opened.page.evaluate("document.activeElement.id") == "summary"


def test_arrow_keys_move_through_the_items(opened):
    page = opened.page
    page.focus("#item-list")
    first = selected(page)
    page.keyboard.press("ArrowDown")
    second = selected(page)
    assert second != first
    assert shown(page) == second
    page.keyboard.press("ArrowUp")
    assert selected(page) == first
    page.keyboard.press("End")
    assert page.locator("#item-count").inner_text() == "26 of 26"
    page.keyboard.press("ArrowDown")
    assert page.locator("#item-count").inner_text() == "26 of 26"
    active = page.get_attribute("#item-list", "aria-activedescendant")
    assert page.locator(f"#{active} .mono").inner_text() == selected(page)


def test_the_list_keeps_the_selected_item_in_sight(opened):
    page = opened.page
    page.focus("#item-list")
    page.keyboard.press("End")
    inside = page.evaluate(
        """() => {
          const list = document.getElementById("item-list");
          const box = list.getBoundingClientRect();
          const row = list.querySelector('[aria-selected="true"]').getBoundingClientRect();
          return box.top - 1 <= row.top && row.bottom <= box.bottom + 1;
        }"""
    )
    assert inside


def test_filters_leave_what_they_name(opened):
    page = opened.page
    page.select_option("#filter-task", "CSA")
    assert page.locator("#item-list [role=option]").count() == 2
    assert shown(page).startswith("CSA-")
    page.select_option("#filter-task", "")
    page.select_option("#filter-outcome", "wrong")
    page.select_option("#filter-run", label="example/uniform")
    page.focus("#item-list")
    for _ in range(3):
        replies = page.locator("#item-case .reply").all_inner_texts()
        assert any("example/uniform" in text and "wrong" in text for text in replies)
        page.keyboard.press("ArrowDown")
    page.fill("#filter-text", "no item says this")
    assert "No item fits" in page.locator("#item-list").inner_text()
    assert page.locator("#print-cases").is_disabled()


def test_the_case_sheet_prints_one_item_a_page(opened):
    page = opened.page
    page.evaluate("window.print = () => { document.title = 'printing'; }")
    page.select_option("#filter-task", "SU")
    page.click("#print-cases")
    page.wait_for_function("document.title === 'printing'")
    page.emulate_media(media="print")
    assert page.locator("#case-sheet .case").count() == 2
    assert page.locator("#case-sheet").is_visible()
    assert not page.locator("main").is_visible()
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 2
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("#case-sheet .case").count() == 0


def test_the_printed_page_leaves_out_what_needs_a_screen(opened):
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#items").is_visible()
    assert not opened.page.locator("nav.sections").is_visible()
    assert opened.page.locator("#tasks").is_visible()


@pytest.fixture(scope="module")
def boxes_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page about one grounding item and one reply to it."""
    folder = tmp_path_factory.mktemp("boxes")

    def make(writer: BenchmarkWriter) -> list[Item]:
        path, digest = writer.add_media(png((90, 120, 60), (200, 100)), ".png")
        shown = (Media("image", path, width=200, height=100, sha256=digest),)
        return [make_item("grounding", question_type="box", media=shown)]

    benchmark = make_benchmark(folder / "benchmark", make)
    key = Key(benchmark.items[0].id, "image")
    run = folder / "run"
    run.mkdir()
    (run / REPLIES_FILE).write_bytes(ReplyRecord(key, "replied", "[20, 20, 50, 40]").to_line())
    score = ScoreRecord(
        key, "LCC", "block-1", "made-up", "[20,20,50,40]", "box", "wrong", 0.0, iou=0.2
    )
    write_scores(run, [score])
    info = RunInfo(
        benchmark="small",
        benchmark_path=str(benchmark.root),
        benchmark_sha256=benchmark.sha256,
        model="example/one",
    )
    write_run_info(run, info)
    path = folder / "index.html"
    path.write_text(render_page(collect_report([run])), encoding="utf-8")
    return path


def test_boxes_are_drawn_where_they_lie_on_the_picture(browser, boxes_file):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(boxes_file.as_uri())
    page.locator(".framed rect.key").wait_for(state="attached")
    places = page.evaluate(
        """() => {
          const image = document.querySelector(".framed img").getBoundingClientRect();
          return ["key", "read"].map((kind) => {
            const box = document.querySelector(`.framed rect.${kind}`).getBBox();
            const drawn = document.querySelector(`.framed rect.${kind}`).getScreenCTM();
            return [box.x, box.y, box.x + box.width, box.y + box.height,
              Math.round(image.width / drawn.a), Math.round(image.height / drawn.d)];
          });
        }"""
    )
    page.close()
    # The key of the item, the box read from the reply, on a plane as large as the picture.
    assert places == [[10, 20, 30, 40, 200, 100], [20, 20, 50, 40, 200, 100]]
