import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Irreversible commands` {
    private func read<Value: Decodable>(_ text: String) throws -> Value {
        try DaemonClient.decode(Array(text.utf8))
    }

    private func zone(_ id: String, records: Int, in container: String = "c", on devices: String...) throws -> Zone {
        let peers = devices.map { #"{"device":"\#($0)","account":"a","in_sync":true,"behind":0}"# }
        return try read(
            """
            {"zone":"\(id)","name":"\(id)","container":"\(container)","kind":"custom","database":"private","owner":"a","own":true,
            "rights":"admin","public":{"world":[],"authenticated":[],"creator":[]},"records":\(records),"internal_records":0,
            "epoch":null,"digest":"00","peers":[\(peers.joined(separator: ","))]}
            """
        )
    }

    @Test func `a removed device still has the content of the zones that it is known to have`() throws {
        let zones = [
            try zone("x", records: 1_000, on: "lap", "desk"), try zone("y", records: 31, on: "lap"),
            try zone("z", records: 5, on: "desk"),
        ]
        let removal = { (names: [String], this: String) in
            let devices = names.map { NamedDevice(device: $0, name: "the \($0)") }
            return Irreversible.removal(of: devices, outOf: 3, at: this, having: zones, name: "n").effect
        }
        #expect(
            removal(["lap"], "pi")
                == "Removes the lap (lap) from the account, which has 3 devices. It has 1031 records of 2 zones, "
                + "as far as is known here, and keeps that data; what it writes from now on is quarantined."
        )
        #expect(
            removal(["lap", "desk"], "pi").contains(
                " They have 1036 records of 3 zones, as far as is known here, and keep "
            )
        )
        #expect(removal(["phone"], "pi").contains(" It has no zone, as far as is known here"))
        #expect(removal(["pi"], "pi").contains(" It has 1036 records of 3 zones,"), "this device has all of them")
    }

    @Test func `a promotion reports the number of machines on which it is in force`() throws {
        let container: ContainerSummary = try read(
            #"{"container":"c","zones":2,"records":7,"bytes":9,"databases":[],"used_bytes":null,"limit_bytes":null}"#
        )
        let check: SchemaCheck = try read(#"{"container":"c","differences":[],"promotable":true}"#)
        let zones = [
            try zone("x", records: 3, on: "lap", "desk"), try zone("y", records: 4, on: "lap"),
            try zone("z", records: 5, in: "other", on: "phone"),
        ]
        let effect = Irreversible.promotion(in: container, check, zones).effect
        #expect(
            effect.hasPrefix(
                "Puts the schema of c into force on all machines that have one of its zones, 3 machines as far as is known here: "
                    + "0 changes; 2 zones with 7 records here."
            )
        )
    }
}
