#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Clicks through a page of verbatim in a headless Chromium, and prints TAP.

  click-page.py PAGE FORGED GOOD
  click-page.py PAGE --pictures FOLDER

The pages are those of page.test: of two runs, of events that do not add up, and of a run in which all is as expected. With --pictures it is a page of
real runs (make page-pictures), and the pictures of docs/page.md are put into the folder. A copy of axe-core (AXE=axe.min.js), if there is one, looks for what a
screen reader cannot use.
"""

import os
import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

number = 0
failed = False


def check(what, ok, got=None):
    global number, failed
    number += 1
    failed = failed or not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {what}", flush=True)
    if not ok and got is not None:
        print(f"# got: {got}")


def start(dark=False):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
                     "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if dark:
        options.add_argument("--blink-settings=preferredColorScheme=0")
    return webdriver.Chrome(options=options)


class Page:
    def __init__(self, browser, path):
        self.browser, self.address = browser, pathlib.Path(path).resolve().as_uri()

    def open(self, state=""):
        self.browser.get("about:blank")
        self.browser.get(self.address + state)

    def element(self, name):
        return self.browser.find_element(By.ID, name)

    def text(self, name):
        return self.element(name).text

    def names(self):
        return [e.text for e in self.browser.find_elements(By.CSS_SELECTOR, ".option .name")]

    def ask(self, query):
        field = self.element("query")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.BACKSPACE)
        field.send_keys(query)
        return self.text("found")

    def wait(self, ready):
        WebDriverWait(self.browser, 60).until(lambda _: ready())


def three_questions(page):
    # Which clause fails on the older kernel and not on the newer one?
    found = page.ask("seq(fail pass)")
    check("a query over two runs finds what was mended", found.startswith("1 of "), found)
    page.element("tab-clauses").click()
    rows = page.browser.find_elements(By.CSS_SELECTOR, "#clauses tbody tr")
    check("the clause view names its clause", len(rows) == 1 and "C-OLD" in rows[0].text, [r.text for r in rows])
    # What did each host do before the failure?
    page.element("tab-variants").click()
    page.ask("verdict:fail")
    page.browser.find_element(By.CSS_SELECTOR, ".option").click()
    page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder tr.fail"))
    heads = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, ".ladder thead th")]
    check("the ladder has a column for each host", heads == ["step", "host a", "host b"], heads)
    body = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, ".ladder tbody tr")]
    check("with the failed expectation behind its step",
          len(body) == 4 and "listen" in body[0] and "expected 0, got -1" in body[1] and "connect" in body[2] and
          "expected 0, got EINVAL (22)" in body[3], body)
    # What is new since the last run?
    found = page.ask("is:new")
    check("new variants are found", found.startswith("1 of ") and page.names() == ["area/fresh"], page.names())


def explained(page):
    page.open("#v=area/broken")
    page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder tr.fail"))
    said = [[e.text for e in row.find_elements(By.CSS_SELECTOR, ".explain code")]
            for row in page.browser.find_elements(By.CSS_SELECTOR, ".ladder tr.fail")]
    check("a code that came has its command, else the step", said == [["verbatim explain listen"], ["verbatim explain EINVAL"]], said)
    check("and what explain says of it", "Usual cause: " in page.browser.find_elements(By.CSS_SELECTOR, ".explain")[1].text)
    said = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, "#detail .explain code")]
    check("so has a code that was printed", said[-1] == "verbatim explain RDMA_CM_EVENT_REJECTED", said)
    button = page.browser.find_elements(By.CSS_SELECTOR, "tr.fail .copy")[1]
    button.click()
    page.wait(lambda: button.text in ("copied", "selected"))
    check("a button copies the command, or selects it",
          page.browser.execute_script("return getSelection().toString()") == "verbatim explain EINVAL")
    twice = page.browser.execute_script("const fail = [0, 1, 'a', 'listen', 'return', '0', '-1'];"
                                        "return ladder({steps: [], fails: [fail, fail], kernel: []}).querySelectorAll('.fail, .explain').length")
    check("what two failures have in common is explained once", twice == 3, twice)
    page.open("#v=area/fresh")
    page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder"))
    check("what is as expected has no such command", not page.browser.find_elements(By.CSS_SELECTOR, ".explain"))


def chosen(browser):
    return [e.text for e in browser.find_elements(By.CSS_SELECTOR, "#detail h2")]


def at_first(page, good):
    page.open()
    check("the first variant that is not as expected is shown at once", chosen(page.browser) == ["area/broken"], chosen(page.browser))
    check("and is the chosen one of the list", page.browser.find_element(
        By.CSS_SELECTOR, '.option[aria-selected="true"] .name').text == "area/broken")
    page.open("#q=area/old")
    check("a query chooses nothing", chosen(page.browser) == [])
    check("the page says what to do then", "1 of 10001 variants are not as expected: is:bad" in page.text("detail") and
          "Click a variant" in page.text("detail"), page.text("detail"))
    page.open("#v=area/nowhere")
    check("nor does the name of a variant that is not there", chosen(page.browser) == [])
    page = Page(page.browser, good)
    page.open()
    check("if all is as expected it says that", chosen(page.browser) == [] and
          page.text("detail").startswith("All variants are as expected."), page.text("detail"))


def since_the_run_before(page):
    page.open()
    said = page.text("changes")
    check("the head says what is new since the run before",
          said == "Against the run before: 1 worse, 1 mended, 1 new, 1 slower, 1 not run any more", said)
    page.browser.find_element(By.PARTIAL_LINK_TEXT, "slower").click()
    page.wait(lambda: page.element("query").get_attribute("value") == "is:slower")
    check("and leads there", page.names() == ["area/slow"], page.names())
    page.browser.find_element(By.CSS_SELECTOR, ".option").click()
    times = page.browser.execute_script("return [999, 12345, 9999999, 30031000].map(time)")
    check("a time has a unit for people", times == ["999\u00a0µs", "12\u00a0ms", "10000\u00a0ms", "30.0\u00a0s"], times)
    legend = page.text("columns")
    check("the letters beside a variant are explained", legend.startswith("2 runs, this run at the right: P passed, F failed, ") and
          legend.endswith(", · not run"), legend)
    check("a slower variant has both times", "in 400 ms (3 ms in the run before)" in page.text("detail"), page.text("detail"))
    page.ask("verdict:fail ended:clean")
    check("a verdict says nothing about how a variant ended", page.names() == ["area/broken"], page.names())
    page.ask("ended:leaked verdict:pass")
    check("what was left behind is one of the ways to end", page.names() == ["area/fresh"], page.names())
    page.browser.find_element(By.CSS_SELECTOR, ".option").click()
    check("and it is told", "Left behind: host a has an additional interface: br5" in page.text("detail"), page.text("detail"))
    check("it outweighs a complaint that a finding describes", page.ask("ended:known").startswith("0 of"), page.text("found"))
    page.ask("ended:leaked verdict:xfail")
    check("whatever the texts are", len(page.names()) == 1 and page.names()[0].startswith("<img"), page.names())
    check("it is no complaint without a finding", page.ask("ended:complaint").startswith("0 of"), page.text("found"))


def coverage(page):
    page.open("#tab=coverage")
    heads = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, "#coverage thead th")]
    check("coverage counts clauses and mutants", heads[:8] == [
        "area", "clauses", "shown by this run", "not as expected", "with a mutant", "mutants", "killed", "survived"], heads)
    check("of the views one is shown", [name for name in ("variants", "clauses", "coverage", "help")
                                        if page.element(name).is_displayed()] == ["coverage"])
    cells = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, "#coverage tbody tr:first-child td")]
    check("area by area", cells[:8] == ["area", "3", "3", "1", "1", "2", "1", "1"], cells)
    check("and the code that was reached", "rxe_cq.c" in page.text("coverage"))
    page.element("tab-clauses").click()
    page.ask("clause:c-old")
    cells = [e.text for e in page.browser.find_elements(By.CSS_SELECTOR, "#clauses tbody td")]
    check("a clause has its mutants", cells[-1] == "2, 1 killed\nsurvived: old-b", cells)
    page.element("tab-variants").click()


def sums(browser, path):
    page = Page(browser, path)
    page.open()
    check("a hostile error of the run is a text", "<script>alert(2)" in page.text("alerts") and
          not browser.find_elements(By.CSS_SELECTOR, "#alerts img, #alerts script"), page.text("alerts"))
    check("sums that are not the run's are an alarm", "differ in: PASS" in page.text("alerts"), page.text("alerts"))


def state_in_the_address(page):
    page.ask("verdict:fail")
    page.browser.find_element(By.CSS_SELECTOR, ".option").click()
    state = page.browser.execute_script("return location.hash")
    check("the address has query and variant", "verdict%3Afail" in state and "v=" in state, state)
    page.open("#q=verdict:fail")
    page.browser.find_element(By.CSS_SELECTOR, ".option").click()
    page.browser.back()
    page.wait(lambda: not page.browser.find_elements(By.CSS_SELECTOR, '.option[aria-selected="true"]'))
    check("the browser's way back leads to the state before", page.element("query").get_attribute("value") == "verdict:fail")
    page.open(state)
    check("and leads back to them", page.element("query").get_attribute("value") == "verdict:fail" and
          page.browser.find_element(By.CSS_SELECTOR, "#detail h2").text == "area/broken")


def keys(page):
    page.open()
    page.browser.find_element(By.TAG_NAME, "body").send_keys("/")
    check("/ goes to the query", page.browser.switch_to.active_element.get_attribute("id") == "query")
    listing = page.element("list")
    listing.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    chosen = page.browser.find_element(By.CSS_SELECTOR, '.option[aria-selected="true"]')
    check("two arrows choose the second variant after the first one shown", chosen.get_attribute("aria-posinset") == "4",
          chosen.get_attribute("aria-posinset"))
    check("a screen reader hears of it", listing.get_attribute("aria-activedescendant") == chosen.get_attribute("id"))
    listing.send_keys(Keys.ENTER)
    check("Enter goes to what it did", page.browser.switch_to.active_element.get_attribute("id") == "detail")
    page.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    check("Escape goes back", page.browser.switch_to.active_element.get_attribute("id") == "list")


def many_rows(page):
    page.open()
    drawn = len(page.names())
    check("of thousands of rows only those are drawn that are seen", 5 < drawn < 60, drawn)
    page.element("list").send_keys(Keys.END)
    page.wait(lambda: "area/many[9999]" in page.names())
    check("the last one can be reached", True)
    check("wrong queries say so", page.ask("is:nonsense").startswith("is: takes"), page.text("found"))
    found = page.ask("-area:area")
    check("a minus turns a term round", found.startswith("1 of "), found)


def hostile(page):
    page.open("#v=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder tr.fail"))
    for summary in page.browser.find_elements(By.CSS_SELECTOR, "#detail summary"):
        summary.click()
    for tab in ("clauses", "coverage", "variants"):
        page.element("tab-" + tab).click()
    check("no text became an element or a script", page.browser.execute_script(
        "return [document.images.length, document.scripts.length, document.querySelectorAll('body > main > *').length]") == [0, 2, 5])
    check("the texts of a step are there as they are", page.text("detail").count("<script>alert(2)</script>") >= 8)
    check("a name is never a part of the page", not page.browser.find_elements(By.CSS_SELECTOR, "main img"))
    check("and is shown as it is", page.browser.find_element(By.CSS_SELECTOR, "#detail h2").text.startswith("<img"))
    check("the sums are those of the run", page.text("check").startswith("The sums of this page are those"), page.text("check"))
    check("there is no alarm", page.text("alerts") == "", page.text("alerts"))
    check("a complaint of the kernel that a finding describes is known",
          page.text("known") == "1 kernel message while no variant ran, described by findings", page.text("known"))
    logs = [entry for entry in page.browser.get_log("browser") if entry["level"] == "SEVERE"]
    check("the browser complains about nothing", not logs, logs)


def readable(page, where=""):
    axe = os.environ.get("AXE")
    if not axe:
        check(f"axe-core finds nothing{where} # SKIP AXE names no copy of it", True)
        return
    found = []
    for state in ("#q=verdict:fail&v=area/broken", "#tab=clauses", "#tab=coverage", "#tab=help"):
        page.open(state)
        if "v=" in state:
            page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder"))
        page.browser.execute_script(open(axe, encoding="utf-8").read())
        found += page.browser.execute_async_script(
            "axe.run().then((r) => arguments[0](r.violations.map((v) => v.id + ' ' + v.nodes[0].target)))")
    check(f"axe-core finds nothing{where}", not found, found)


# A name for each picture in docs/: whether it is dark, the state of the page, and what it shows of the page (all without a name).
PICTURES = {
    "page-light.png": (False, "#q=is:different&v=resolve/async-does-not-wait", ""),
    "page-dark.png": (True, "#q=is:different&v=resolve/async-does-not-wait", ""),
    "page-ladder.png": (False, "#v=cm/connect-error", ".ladder"),
    "page-history.png": (False, "#q=is:different&v=resolve/async-does-not-wait", "#variants"),
}


def pictures(path, folder):
    for name, (dark, state, part) in PICTURES.items():
        browser = start(dark)
        try:
            if part == ".ladder":
                browser.set_window_size(1400, 3000)
            page = Page(browser, path)
            page.open(state)
            page.wait(lambda: page.browser.find_elements(By.CSS_SELECTOR, ".ladder tr"))
            target = os.path.join(folder, name)
            if part:
                browser.find_element(By.CSS_SELECTOR, part).screenshot(target)
            else:
                browser.save_screenshot(target)
        finally:
            browser.quit()


def main():
    if sys.argv[2:3] == ["--pictures"]:
        pictures(sys.argv[1], sys.argv[3])
        return 0
    browser = start()
    try:
        page = Page(browser, sys.argv[1])
        at_first(page, sys.argv[3])
        page.open()
        for part in (three_questions, explained, since_the_run_before, coverage, state_in_the_address, keys, many_rows, hostile, readable):
            part(page)
        sums(browser, sys.argv[2])
    finally:
        browser.quit()
    browser = start(True)
    try:
        readable(Page(browser, sys.argv[1]), ", in the dark")
    finally:
        browser.quit()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
