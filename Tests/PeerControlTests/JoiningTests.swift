import Testing

@testable import KairanClient
@testable import PeerControl

@Suite struct `Joining a zone` {
    private func zone(_ changes: String = "", inSync: Bool = true) throws -> Zone {
        let text =
            #"{"zone":"zzzz","name":"bulletin","container":"org.example.notes","kind":"custom","database":"shared","#
            + #""owner":"oooo","own":false,"rights":"write","public":{"world":[],"authenticated":[],"creator":[]},"#
            + #""records":2,"internal_records":0,"epoch":"e","digest":"","#
            + #""peers":[{"device":"d","account":"oooo","in_sync":\#(inSync),"behind":0}]}"#
        return try DaemonClient.decode(Array((changes.isEmpty ? text : replaced(text, changes)).utf8))
    }

    private func replaced(_ text: String, _ change: String) -> String {
        let parts = change.split(separator: "|")
        return text.replacing(parts[0], with: parts[1])
    }

    private func arrival(
        _ zone: Zone?,
        _ state: Join.State = .joined,
        missing: UInt64 = 0,
        heldBack: UInt64 = 0
    ) -> JoinCommand.Arrival {
        JoinCommand.Arrival(
            id: "zzzz",
            join: Join(zone: "zzzz", rights: nil, state: state),
            zone: zone,
            missing: missing,
            heldBack: heldBack
        )
    }

    @Test func `is complete when the rights are known and all is here that a device of it has`() throws {
        let complete = arrival(try zone())
        #expect(complete.isComplete)
        #expect(
            complete.text(style: .plain)
                == "Joined the zone bulletin of org.example.notes: you may read and write. 2 records are here."
        )
        #expect(
            complete.json["complete"] == true && complete.json["rights"] == "write" && complete.json["records"] == 2
        )
        #expect(!arrival(nil).isComplete)
        #expect(!arrival(try zone(inSync: false)).isComplete, "nobody has said what there is")
        #expect(!arrival(try zone(), missing: 1).isComplete)
        #expect(!arrival(try zone(), heldBack: 1).isComplete)
        #expect(!arrival(try zone(#""rights":"write"|"rights":"none""#)).isComplete)
        #expect(arrival(try zone(), .waitingKey).isComplete, "the key has come meanwhile")
        #expect(!arrival(try zone(#""epoch":"e"|"epoch":null"#), .waitingKey).isComplete)
    }

    @Test func `says what is missing, and how to see it come`() throws {
        let text = arrival(try zone(), missing: 7, heldBack: 1).text(style: .plain)
        #expect(
            text
                == "Joined the zone bulletin of org.example.notes: you may read and write. 2 records are here so far. The rest follows without further action: 8 operations are still missing. `kairan zone show bulletin` shows the progress."
        )
        #expect(arrival(nil).text(style: .plain).contains("It is not here yet"))
        #expect(arrival(try zone(inSync: false)).missingText == "no device of the zone has reported its records yet")
        #expect(arrival(try zone(#""rights":"write"|"rights":"none""#)).missingText.contains("the rights in bulletin"))
        #expect(
            arrival(try zone(#""epoch":"e"|"epoch":null"#), .waitingKey).missingText.contains("the key of bulletin")
        )
        #expect(arrival(nil).json["records"] == .null && arrival(nil).json["complete"] == false)
    }

    @Test func `names the person who must approve, the device and the command`() {
        let join = Join(zone: nil, rights: nil, state: .waitingApproval)
        let asked = JoinCommand.AskedJoin(join: join, account: "oooooooooooo", devices: ["h1"], own: "aaaaaaaaaaaa")
        #expect(
            asked.text(style: .plain).hasPrefix(
                "Asked. A person of the account oooooooo has to approve it, on one of its devices (h1): `kairan share approve ZONE aaaaaaaa` there."
            )
        )
        let silent = Join(zone: nil, rights: nil, state: .waitingInviter)
        let text = JoinCommand.AskedJoin(join: silent, account: nil, devices: [], own: "a").text(style: .plain)
        #expect(text.hasPrefix("Asked. No device of the inviting account has answered yet"))
        #expect(text.hasSuffix("`kairan join ls` shows the state."))
    }
}
