import ArgumentParser
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Asking for a device and waiting for it` {
    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    private func desk(_ rest: String) throws -> Peer { try peer("abcdefghijkl", name: "desk", rest) }

    private func peer(_ device: String, name: String, _ rest: String) throws -> Peer {
        try read(#"{"device":"\#(device)","account":"a","name":"\#(name)","role":"full",\#(rest)}"#)
    }

    private var answering: Peer {
        get throws { try desk(#""state":"connected","address":"192.0.2.7:7621","rtt_ms":1.25,"silence_ms":3"#) }
    }

    @Test func `a ping reports the time of the answer, or the obstacle`() throws {
        #expect(Ping.text(try answering, style: .plain) == "desk (192.0.2.7:7621) answers after 1.3 ms")
        #expect(Ping.hasAnswered(try answering))
        let silent = try desk(#""state":"connected","address":"192.0.2.7:7621","rtt_ms":1.25,"silence_ms":12000"#)
        #expect(
            Ping.text(silent, style: .plain) == "desk (192.0.2.7:7621) does not answer; it was heard 12.0 s ago"
        )
        #expect(!Ping.hasAnswered(silent))
        let unreachable = try desk(
            #""state":"unreachable","address":"192.0.2.7:7621","trouble":{"error":"no answer","since":"2026-01-02T03:04:05Z","fix":"Let it in."}"#
        )
        #expect(
            Ping.text(unreachable, style: .plain)
                == "desk (192.0.2.7:7621) is in sight and not reached: no answer. Let it in."
        )
        #expect(Ping.text(try desk(#""state":"away""#), style: .plain) == "desk is away: no address of it is known")
        #expect(!Ping.hasAnswered(try desk(#""state":"reachable""#)))
    }

    @Test func `the daemon is waited for until it is ready, with the cause`() throws {
        #expect(Wait.missing(.ready, because: []) == nil)
        #expect(Wait.missing(.starting, because: []) == "the daemon is starting")
        let health: [HealthNotice] = try read(
            #"[{"code":"a","severity":"critical","message":"No space is left.","fix":""},"#
                + #"{"code":"b","severity":"info","message":"Else.","fix":""}]"#
        )
        #expect(Wait.missing(.degraded, because: health) == "the daemon is degraded: No space is left.")
    }

    @Test func `a device is waited for until it is connected and nothing is missing on either side`() throws {
        #expect(Wait.missing(try answering) == nil)
        #expect(Wait.missing(try desk(#""state":"away""#)) == "desk is away")
        let work: PendingWork = try read(
            #"{"held_back":[],"pending":[{"zone":"z","zone_name":"notes","container":"c","device":"abcdefghijkl","#
                + #""device_name":"desk","account":"a","state":"connected","count":1,"behind":3,"missing":2,"#
                + #""oldest_at":null,"age_ms":null,"reason":"syncing","since":null}]}"#
        )
        #expect(Wait.missing(work, with: try answering) == "desk lacks 3 operations and has 2 more, in notes")
        let other = try peer("zzzz", name: "lap", #""state":"connected""#)
        #expect(Wait.missing(work, with: other) == nil)
    }

    @Test func `catching up is shown as a share of the most that was missing, with rate and time left`() {
        var catchUp = CatchUp()
        #expect(catchUp.note(Missing(text: "desk is away"), at: 0) == nil)
        let begin = catchUp.note(Missing(text: "desk has 100 more", operations: 100), at: 5)
        #expect(begin?.text == "[--------------------]   0%  desk has 100 more")
        let later = catchUp.note(Missing(text: "desk has 25 more", operations: 25), at: 8)
        #expect(later?.text == "[###############-----]  75%  desk has 25 more, 25 a second, 1 s left")
        let more = catchUp.note(Missing(text: "desk has 400 more", operations: 400), at: 9)
        #expect(more?.share == 0 && more?.count == 0 && more?.seconds == 0, "what comes to light begins anew")
        #expect(catchUp.note(Missing(text: "desk is away"), at: 9) == nil)
    }

    @Test func `an expired wait ends with 75 and names what is missing`() {
        let failure = Failure(TimeOver(missing: "desk is away"))
        #expect(failure.exitCode == 75)
        #expect(
            Failure.text(TimeOver(missing: "desk is away").problem).hasPrefix(
                "kairan: The wait has timed out, and desk is away."
            )
        )
    }

    @Test(arguments: [["ping", "desk", "--count", "0"], ["wait", "--timeout", "-1"]])
    func `impossible numbers are refused`(arguments: [String]) async {
        await #expect(throws: (any Error).self) { try await PeerControl.asyncParseAsRoot(arguments) }
    }
}
