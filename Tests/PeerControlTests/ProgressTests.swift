import Synchronization
import Testing

@testable import KairanClient
@testable import PeerControl

@Suite struct `Progress` {
    private func bar(_ share: Double?, _ seconds: Double = 2, count: Int = 1_000) -> String {
        ProgressBar(amount: "Saved \(count) records", count: count, share: share, seconds: seconds).text
    }

    @Test func `shows share, amount, rate and time left`() {
        #expect(bar(0.25) == "[#####---------------]  25%  Saved 1000 records, 500 a second, 6 s left")
        #expect(bar(1) == "[####################] 100%  Saved 1000 records, 500 a second")
        #expect(bar(1.5).hasPrefix("[####################] 100%  "))
        #expect(bar(0.5, 600).hasSuffix(", 2 a second, 10 min left"))
        #expect(bar(0.1, 3_600).hasSuffix(", 0 a second, 9 h left"))
    }

    @Test func `leaves out unknown facts`() {
        #expect(bar(nil) == "Saved 1000 records, 500 a second")
        #expect(bar(0.25, 0.1) == "[#####---------------]  25%  Saved 1000 records")
        #expect(bar(0, 9, count: 0) == "[--------------------]   0%  Saved 0 records, 0 a second")
    }

    @Test func `of lines that are confirmed later than they are sent is counted in bytes`() {
        let meter = InputMeter()
        #expect(meter.byteCount(ofLines: 0) == 0 && meter.byteCount(ofLines: 9) == 0)
        meter.note(Array("a\nbb\n".utf8))
        meter.note(Array("ccc\ndddd\neeee".utf8))
        meter.note(Array("e\n".utf8))
        #expect(meter.byteCount(ofLines: 0) == 0)
        #expect(meter.byteCount(ofLines: 1) == 2.5, "half of the first piece")
        #expect(meter.byteCount(ofLines: 2) == 5 && meter.byteCount(ofLines: 4) == 18)
        #expect(meter.byteCount(ofLines: 5) == 20 && meter.byteCount(ofLines: 99) == 20)
    }

    @Test func `of an import has a share where the size is known`() throws {
        let meter = InputMeter()
        meter.note(Array("{}\n{}\n{}\n{}\n".utf8))
        let progress = ImportProgress(saved: 1, failed: 2, errors: [], isFinal: false)
        let known = Import.bar(progress, meter, of: 12, in: 1)
        #expect(known.share == 0.75 && known.text.contains(" 75%  Saved 1 record, 2 refused, 1 a second"))
        #expect(Import.bar(progress, meter, of: nil, in: 1).share == nil)
        #expect(Import.bar(progress, meter, of: 0, in: 1).share == nil)
    }

    @Test func `of an export never goes beyond all, however many records come meanwhile`() {
        #expect(Export.bar(5, of: 10, in: 1).share == 0.5 && Export.bar(11, of: 10, in: 1).share == 1)
        #expect(Export.bar(5, of: 0, in: 1).share == nil && Export.bar(5, of: nil, in: 1).share == nil)
    }

    @Test func `of the doctor has the running checks and how many of how many are made, and no rate`() {
        let progress = CheckProgress(running: ["port.reachable", "port.\u{1B}listening"], done: 13, count: 20)
        #expect(
            Doctor.bar(progress, in: 4).text
                == "[#############-------]  65%  13 of 20 checks, now port.reachable, port.�listening"
        )
        let first = CheckProgress(running: ["storage.integrity"], done: 0, count: 1)
        #expect(Doctor.bar(first, in: 0).text == "[--------------------]   0%  0 of 1 check, now storage.integrity")
        #expect(Doctor.bar(CheckProgress(running: [], done: 0, count: 0), in: 0).share == nil)
    }

    @Test func `is shown on a terminal alone, and there every line that is wanted at once`() {
        let shown = Mutex([String]())
        var terminal = ProgressDisplay(isWanted: true) { text in shown.withLock { $0.append(text) } }
        terminal.show { _ in "first" }
        terminal.show { _ in "too soon" }
        terminal.show(evenAtOnce: true) { _ in "second" }
        terminal.end()
        #expect(shown.withLock { $0 } == ["first", "second", ""])
        var pipe = ProgressDisplay(isWanted: false) { text in shown.withLock { $0.append(text) } }
        pipe.show(evenAtOnce: true) { _ in "nobody looks" }
        pipe.end()
        #expect(shown.withLock { $0.count } == 3)
    }
}
