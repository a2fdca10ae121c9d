import FileRecords
import KairanClient
import Testing

@testable import Importing
@testable import PeerControl

@Suite struct `An import of files` {
    private func outcome(
        _ kind: FileOutcome.Kind,
        size: UInt64 = 0,
        _ obstacle: Obstacle? = nil
    ) -> FileOutcome {
        FileOutcome(source: "a\u{1B}.jpg", path: FilePath("d/a.jpg"), kind: kind, size: size, obstacle: obstacle)
    }

    private func summary(_ outcomes: [FileOutcome]) -> ImportSummary {
        var summary = ImportSummary()
        for outcome in outcomes { summary.note(outcome) }
        return summary
    }

    @Test func `shows files, bytes, rate and time left`() {
        let progress = FolderProgress(fileCount: 1_200, fileTotal: 10_000, byteCount: 1 << 30, byteTotal: 4 << 30)
        #expect(
            ImportText.bar(progress, in: 64).text
                == "[#####---------------]  25%  Imported 1200 of 10000 files, 1.0 GiB of 4.0 GiB, 16.0 MiB a second, 3 min left"
        )
        #expect(ImportText.bar(FolderProgress(), in: 0).text == "Imported 0 of 0 files, 0 B of 0 B")
    }

    @Test func `ends with its numbers`() {
        var numbers = summary([
            outcome(.added, size: 1_024), outcome(.added), outcome(.changed, size: 1_024), outcome(.described),
            outcome(.unchanged), outcome(.refused, .changed), outcome(.leftOut, .symbolicLink),
        ])
        (numbers.hiddenCount, numbers.toolFailureCount) = (1, 2)
        #expect(
            ImportText.text(numbers, isDryRun: false) == """
                Imported 4 files (2 new, 1 changed, 1 with another time, 2.0 KiB). 1 was there already. \
                1 file could not be imported; another attempt may do it. Left out 1 thing that is no file. \
                Passed over 1 hidden name (--hidden). Of 2 files no metadata or no thumbnail could be made.
                """
        )
        #expect(numbers.exitCode == 75)
        let all = summary([outcome(.unchanged), outcome(.unchanged)])
        #expect(ImportText.text(all, isDryRun: false) == "Imported 0 files. 2 were there already.")
        #expect(all.exitCode == 0)
        let failed = summary([outcome(.refused, .changed), outcome(.refused, .badName)])
        #expect(ImportText.text(failed, isDryRun: false) == "Imported 0 files. 2 files could not be imported.")
        #expect(failed.exitCode == 1)
    }

    @Test func `that is only tried says how much there is to do`() {
        let numbers = summary([outcome(.new), outcome(.unread), outcome(.unread), outcome(.unchanged)])
        #expect(
            ImportText.text(numbers, isDryRun: true)
                == "Would import 1 file without a record, and compare 2 files with theirs. 1 was there already."
        )
    }

    @Test func `lists the files that it could not import with the reasons`() {
        let table = ImportText.table(
            [outcome(.refused, .unreadable(reason: "Permission denied")), outcome(.leftOut, .special)],
            style: .plain
        )
        #expect(
            table == """
                NOT IMPORTED  REASON
                a�.jpg        It cannot be read: Permission denied.
                a�.jpg        It is neither a file nor a folder.
                """
        )
    }

    @Test func `is a line of JSON for each file, and one for the numbers`() {
        #expect(
            ImportText.json(.outcome(outcome(.added, size: 7))).encodedText
                == #"{"file":"a\u001b.jpg","record":"d/a.jpg","outcome":"added","size":7}"#
        )
        let refused = ImportText.json(.outcome(outcome(.refused, .changed)))
        #expect(refused["code"] == "file.changed" && refused["retryable"] == true)
        let shortage = ToolShortage(missing: [.exiftool], hasNoSandbox: false)
        #expect(ImportText.json(.shortage(shortage))["notice"] == "tools.missing")
        let numbers = ImportText.json(summary([outcome(.added, size: 7), outcome(.refused, .changed)]))
        #expect(numbers["added"] == 1 && numbers["refused"] == 1 && numbers["refused_for_now"] == 1)
        #expect(numbers["left_out"] == 0 && numbers["bytes"] == 7 && numbers["complete"] == true)
    }
}
