import KairanClient
import Testing

@testable import PeerControl

@Suite("The question about lost devices") struct DeviceChoiceTests {
    private static let devices: [Device] = ["desk", "lap", "shelf"].compactMap { name in
        let json = """
            {"device":"\(name)aaaaaaaa","name":"\(name)","role":"full","added_at":"2026-01-01T00:00:00Z","last_seen":null,
            "this":false}
            """
        return try? DaemonClient.decode(Array(json.utf8))
    }

    @Test func `is answered by numbers`() throws {
        let choice = DeviceChoice(Self.devices)
        #expect(try choice.picked(by: "3 1\n").map(\.name) == ["shelf", "desk"])
        #expect(try choice.picked(by: "2,3").map(\.name) == ["lap", "shelf"])
        #expect(try choice.picked(by: " \n").isEmpty)
    }

    @Test(arguments: ["0", "4", "lap", "1 9", "-1"]) func `removes none for an answer that it does not understand`(
        answer: String
    ) {
        #expect(throws: InputError.self) { try DeviceChoice(Self.devices).picked(by: answer) }
    }
}
