"""Reports in a real browser: they load without complaint, need no network, and move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request
from typer.testing import CliRunner

from fmugen.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
#: A planar and a spatial mechanism, and the end of a short run in seconds.
MODELS = ("four_bar", "spatial_slider_crank")
STOP = 0.5


@pytest.fixture(scope="module", params=MODELS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / f"{request.param}.html"
    model = str(EXAMPLES / request.param / "model.toml")
    options = ["-o", str(path), "--stop", str(STOP), "--trees", "aac"]
    result = CliRunner().invoke(app, ["report", model, *options])
    assert result.exit_code == 0, result.output
    return path


class Visit:
    """A page that is open, what it complained about and what it asked for."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._asked)
        page.goto(path.as_uri())

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")):
            self.requests.append(request.url)

    @property
    def clock(self) -> float:
        """The time that the animation shows, in seconds."""
        text = self.page.locator("#animation-clock").inner_text()
        return float(text.split()[0])

    def picture(self) -> str:
        """What is drawn, whichever part of the page is in view."""
        return str(self.page.locator("#animation").evaluate("canvas => canvas.toDataURL()"))

    def jump(self, part: float) -> None:
        """Move the slider to a part of the run."""
        self.page.locator("#animation-time").evaluate(
            "(slider, part) => { slider.value = part; slider.dispatchEvent(new Event('input')); }", part
        )


@pytest.fixture(scope="module")
def open_page(browser: Browser, report: Path) -> Iterator[Visit]:
    page = browser.new_page(viewport={"width": 1100, "height": 800})
    yield Visit(page, report)
    page.close()


@pytest.fixture
def visit(open_page: Visit) -> Visit:
    """The page as it opens: loading it anew for each test would take most of the time."""
    for what in ("names", "paths"):
        open_page.page.locator(f"#animation-{what}").uncheck()
    open_page.page.locator("#animation-reset").click()
    open_page.jump(0.0)
    return open_page


def test_the_page_loads_without_complaint_and_without_a_network(visit: Visit, report: Path) -> None:
    assert visit.complaints == []
    assert visit.requests == [report.as_uri()]


def test_every_section_can_be_jumped_to(visit: Visit) -> None:
    links = visit.page.locator("nav a")
    titles = links.all_inner_texts()
    assert titles[:3] == ["Mechanism", "Motion", "Graphs"]
    for number, title in enumerate(titles):
        target = links.nth(number).get_attribute("href")
        assert visit.page.locator(f"{target} h2").inner_text() == title


def test_every_plot_is_drawn(visit: Visit) -> None:
    places = visit.page.locator(".plots > div").count()
    assert places >= 4
    assert visit.page.locator(".plots > div .main-svg").count() >= places
    lines = visit.page.locator(".plots > div .scatterlayer path.js-line")
    assert lines.count() >= places
    assert all(len(line.get_attribute("d") or "") > 100 for line in lines.all()[:4])


def test_equations_are_laid_out_as_mathematics(visit: Visit) -> None:
    """A browser that knows MathML gives a fraction the height of two lines."""
    fraction = visit.page.locator("#equations mfrac").first
    fraction.scroll_into_view_if_needed()
    letter = visit.page.locator("#equations math mi").first
    heights = [place.bounding_box()["height"] for place in (fraction, letter)]  # type: ignore[index]
    assert heights[0] > 1.5 * heights[1]


def test_the_slider_moves_the_mechanism(visit: Visit) -> None:
    pictures, screenshots = set(), set()
    for part in (0.0, 0.35, 0.8):
        visit.jump(part)
        assert visit.clock == pytest.approx(part * STOP, abs=1e-3)
        pictures.add(visit.picture())
        screenshots.add(visit.page.locator("#animation").screenshot())
    assert len(pictures) == len(screenshots) == 3
    visit.jump(0.35)
    assert visit.picture() in pictures


def test_play_and_pause(visit: Visit) -> None:
    button = visit.page.locator("#animation-play")
    before = visit.picture()
    button.click()
    assert button.inner_text() == "Pause"
    visit.page.wait_for_function("parseFloat(document.getElementById('animation-clock').textContent) > 0.05")
    button.click()
    assert button.inner_text() == "Play"
    assert visit.picture() != before
    shown = visit.clock
    visit.page.wait_for_timeout(150)
    assert visit.clock == shown


def test_the_page_says_how_fast_it_plays(visit: Visit) -> None:
    """A run of half a second takes four at speed 1."""
    told = visit.page.locator("#animation-rate")
    assert told.inner_text() == "1 s shows 0.13 s"
    visit.page.locator("#animation-speed").select_option("4")
    assert told.inner_text() == "1 s shows 0.5 s"
    visit.page.locator("#animation-speed").select_option("1")


def test_dragging_changes_the_view_and_reset_brings_it_back(visit: Visit) -> None:
    before = visit.picture()
    box = visit.page.locator("#animation").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    visit.page.mouse.move(x, y)
    visit.page.mouse.down()
    visit.page.mouse.move(x + 90, y + 30, steps=4)
    visit.page.mouse.up()
    assert visit.picture() != before
    visit.page.locator("#animation-reset").click()
    assert visit.picture() == before


def test_names_and_paths_can_be_shown(visit: Visit) -> None:
    visit.jump(0.6)
    pictures = [visit.picture()]
    for what in ("names", "paths"):
        visit.page.locator(f"#animation-{what}").check()
        pictures.append(visit.picture())
    assert len(set(pictures)) == 3


def test_the_page_of_a_narrow_screen_does_not_overflow(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 420, "height": 800})
    visit.page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth", timeout=10_000)
    visit.page.set_viewport_size({"width": 1100, "height": 800})


def test_the_page_is_small_beside_plotly(report: Path) -> None:
    from plotly.offline import get_plotlyjs

    text = report.read_text(encoding="utf-8")
    assert len(text) < len(get_plotlyjs()) + 600_000
    assert len(re.findall(r"plotly\.js v\d", text)) == 1
