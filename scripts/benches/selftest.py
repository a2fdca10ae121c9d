"""Tests of the table of `scripts/bench` and its statistics, which run before each measurement and in `make check`."""
import json
import unittest

from benches.clients import is_whole_answer
from benches.sections import SECTIONS
from benches.sheet import MS, RATE, Missing, Row, Sheet, spread
from benches.sizes import FULL, QUICK, USUAL, with_records

FAST = Row("fast_ms", "a fast thing of {records}", MS, at_most=1.0, ratio_at_most=2)
MANY = Row("many_rate", "many things", RATE, at_least=1_000, ratio_at_least=0.5)
FREE = Row("free_ms", "a thing without a target", MS)
LARGE = Row("large_ms", "a large thing", MS, at_most=1, is_full_only=True)


def filled(rows, reports=(), problem=None, is_full=False):
    """A quiet sheet with one section."""
    sheet = Sheet("json", {"records": 100_000}, is_full)
    sheet.begin("tested", rows)
    for arguments in reports:
        sheet.report(*arguments)
    sheet.end(problem)
    return sheet


class Spreads(unittest.TestCase):
    def test_a_figure_is_the_median_with_the_smallest_and_the_largest(self):
        values = spread([3.0, 1.0, 2.0])
        self.assertEqual(values.median, 2.0)
        self.assertEqual(values.text(MS), "1.00 ms to 3.00 ms of 3")

    def test_one_number_is_one_run(self):
        self.assertEqual(spread(5).text(MS), "one run")

    def test_no_figures_and_numbers_that_are_none_are_refused(self):
        for samples in ([], [float("nan")], [1.0, float("inf")]):
            with self.assertRaises(ValueError):
                spread(samples)


class Verdicts(unittest.TestCase):
    def state(self, row, samples, beside=()):
        return filled([row], [(row.key, samples, beside)]).rows[0].state

    def test_a_row_is_met_where_all_its_bounds_hold(self):
        self.assertEqual(self.state(FAST, [0.9], [("sync", [0.5])]), "met")
        self.assertEqual(self.state(FAST, [1.0], [("sync", [0.5])]), "met")
        self.assertEqual(self.state(FAST, [1.1], [("sync", [1.0])]), "missed")
        self.assertEqual(self.state(FAST, [0.9], [("sync", [0.4])]), "missed")
        self.assertEqual(self.state(MANY, [1_000], [("raw", [2_000])]), "met")
        self.assertEqual(self.state(MANY, [999], [("raw", [1_000])]), "missed")
        self.assertEqual(self.state(MANY, [1_500], [("raw", [4_000])]), "missed")

    def test_a_bound_of_zero_is_a_bound(self):
        self.assertEqual(self.state(Row("none", "none", MS, at_most=0), 0), "met")
        self.assertEqual(self.state(Row("none", "none", MS, at_most=0), 1), "missed")

    def test_the_bound_of_the_ratio_is_for_the_first_baseline(self):
        self.assertEqual(self.state(FAST, [0.9], [("sync", [0.5]), ("faster", [0.01])]), "met")

    def test_without_its_baseline_a_ratio_is_neither_met_nor_hides_a_missed_bound(self):
        missing = [("sync", Missing("sync"))]
        self.assertEqual(self.state(FAST, [0.9], missing), "")
        self.assertEqual(self.state(FAST, [1.1], missing), "missed")

    def test_a_row_without_bounds_has_no_verdict(self):
        self.assertEqual(self.state(FREE, [1.0]), "")


class Rows(unittest.TestCase):
    def test_a_missing_program_leaves_each_row_of_its_section_with_the_reason(self):
        sheet = filled([FAST, FREE], [("fast_ms", [1.0])], Missing("rsync", "apt-get install rsync"))
        self.assertEqual([row.state for row in sheet.rows], ["", "not installed"])
        self.assertIn("rsync (apt-get install rsync)", sheet.markdown())
        self.assertFalse(sheet.has_failed)

    def test_a_failure_leaves_each_row_with_the_reason_and_is_a_failure_of_the_run(self):
        sheet = filled([FAST, FREE], [("fast_ms", [1.0])], RuntimeError("it\nended"))
        self.assertEqual(sheet.rows[1].reason, "failed: it ended")
        self.assertTrue(sheet.has_failed)

    def test_a_row_that_no_measurement_reports_is_a_failure(self):
        self.assertTrue(filled([FAST]).has_failed)

    def test_a_baseline_that_is_missing_is_said_beside_the_figure(self):
        sheet = filled([MANY], [("many_rate", [10], [("raw", [5]), ("redis", Missing("redis-server"))])])
        self.assertEqual(sheet.rows[0].beside_text(), "2.00 x raw (5/s); redis: not installed")

    def test_rows_of_the_full_size_say_so_in_others(self):
        self.assertEqual(filled([LARGE]).rows[0].state, "only with --full")
        self.assertEqual(filled([LARGE], is_full=True).rows[0].state, "failed")

    def test_words_have_the_numbers_of_the_run(self):
        self.assertEqual(filled([FAST]).rows[0].words, "a fast thing of 100,000")

    def test_rows_without_a_declaration_are_texts(self):
        sheet = Sheet("json", {}, False)
        sheet.begin("tested", ())
        sheet.add("  memory", "5 MiB", "1 x", "at most 6", memory_mib=5.123456789)
        sheet.end()
        self.assertEqual(sheet.documents()[0]["memory_mib"], 5.12346)
        self.assertFalse(sheet.has_failed)

    def test_each_row_of_the_table_has_as_many_cells_and_no_bar_of_its_own(self):
        sheet = filled([FREE, FAST], [("free_ms", [1.0], [("a|b", [1.0])])])
        counts = {line.replace("\\|", "").count("|") for line in sheet.markdown().splitlines()}
        self.assertEqual(len(counts), 1)

    def test_the_document_has_each_sample_and_is_json(self):
        sheet = filled([FAST], [("fast_ms", [0.5, 0.7, 0.6], [("sync", [0.3])])])
        row = json.loads(json.dumps(sheet.documents()))[0]
        self.assertEqual((row["median"], row["least"], row["most"], row["samples"]), (0.6, 0.5, 0.7, [0.5, 0.7, 0.6]))
        self.assertEqual((row["beside"][0]["ratio"], row["state"], row["target"]), (2.0, "met", "<= 1.00 ms, <= 2 x"))


class Declarations(unittest.TestCase):
    def test_each_measurement_says_what_it_measures_and_each_row_has_a_name_of_its_own(self):
        keys = [(name, row.key) for name, section in SECTIONS.items() for row in section.rows]
        self.assertEqual(len(keys), len(set(keys)))
        for section in SECTIONS.values():
            self.assertGreater(len(section.measure.__doc__), 40)
            self.assertTrue(section.rows or not section.is_usual)

    def test_the_words_of_each_row_can_be_written_for_each_size(self):
        for volume in (QUICK, USUAL, FULL, with_records(QUICK, 10)):
            sheet = Sheet("json", vars(volume), volume.many is not None)
            for name, section in SECTIONS.items():
                sheet.begin(name, section.rows)
                sheet.end()
            self.assertFalse([row.words for row in sheet.rows if "{" in row.words])


class Answers(unittest.TestCase):
    def test_an_answer_is_whole_with_its_length_or_its_last_chunk(self):
        self.assertFalse(is_whole_answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"))
        self.assertTrue(is_whole_answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"))
        self.assertFalse(is_whole_answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"))
        self.assertTrue(is_whole_answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))


def self_test():
    """Ends the program where a test fails."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__("benches.selftest", fromlist=["selftest"]))
    result = unittest.TestResult()
    suite.run(result)
    if problems := result.failures + result.errors:
        raise SystemExit("bench: its own tests fail\n" + "\n".join(text for _, text in problems))
