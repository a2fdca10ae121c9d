import Testing
import Wire

/// The account log byte for byte, and the inputs that its decoders refuse.
@Suite struct AccountGoldenTests {
    private let certificate = DeviceCertificate(
        device: Layout.id(1),
        agreementKey: [UInt8](repeating: 2, count: 32),
        issued: 300,
        name: "d"
    )
    private let certificateHex = "01" + Layout.fill(1) + Layout.fill(2) + "00 ac02 01 64"
    private let nonce = [UInt8](repeating: 0x0F, count: 16)

    @Test func `a certificate is written in the order of its drawing`() {
        #expect(certificate.isEncoded(as: Layout.bytes(certificateHex)))
    }

    @Test func `a signed certificate keeps the bytes that were signed`() throws {
        let signed = SignedDeviceCertificate(certificate, signature: Layout.signature(3))
        #expect(signed.isEncoded(as: Layout.bytes("46", certificateHex, Layout.fill(3, 64))))
        #expect(try SignedDeviceCertificate(decoding: signed.encoded).bodyBytes == certificate.encoded)
    }

    @Test func `a device's name has 1 to 63 bytes`() {
        func named(_ name: String) -> DeviceCertificate {
            DeviceCertificate(
                device: Layout.id(1),
                agreementKey: [UInt8](repeating: 2, count: 32),
                issued: 0,
                name: name
            )
        }
        #expect(throws: Never.self) { try named(String(repeating: "d", count: 63)).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 63)) {
            try named(String(repeating: "d", count: 64)).checkedEncoding()
        }
        #expect(throws: WireError.invalidValue("string length")) { try named("").checkedEncoding() }
    }

    @Test func `roles are 1, 2 and 3`() {
        #expect(DeviceRole.full.isEncoded(as: [1]))
        #expect(DeviceRole.relayOnly.isEncoded(as: [2]))
        #expect(DeviceRole.readOnly.isEncoded(as: [3]))
        #expect(throws: WireError.invalidValue("role")) { try DeviceRole(decoding: [0]) }
        #expect(throws: WireError.invalidValue("role")) { try DeviceRole(decoding: [4]) }
    }

    @Test func `actions have tags and lengths`() {
        let key = [UInt8](repeating: 9, count: 32)
        let genesis = AccountAction.genesis(recoveryKey: key, firstDevice: [0xAA], name: "d")
        #expect(genesis.isEncoded(as: Layout.bytes("01 24", Layout.fill(9), "01 aa 01 64")))
        let addition = AccountAction.addDevice(certificate: [0xAA], role: .readOnly, name: "d")
        #expect(addition.isEncoded(as: Layout.bytes("02 05 01 aa 03 01 64")))
        let removal = DeviceRemoval(of: Layout.id(4), keeping: [Layout.id(5)], witness: nil)
        let removalHex = Layout.fill(4) + "01" + Layout.fill(5) + "00"
        #expect(removal.isEncoded(as: Layout.bytes(removalHex)))
        #expect(AccountAction.removeDevice(removal).isEncoded(as: Layout.bytes("03 42", removalHex)))
        let witnessed = DeviceRemoval(of: Layout.id(4), keeping: [], witness: Layout.id(6))
        #expect(witnessed.isEncoded(as: Layout.bytes(Layout.fill(4), "00 01", Layout.fill(6))))
        let replacement = AccountAction.replaceRecoveryKey(key)
        #expect(replacement.isEncoded(as: Layout.bytes("04 20", Layout.fill(9))))
        #expect(AccountAction.pairKey(key).isEncoded(as: Layout.bytes("05 20", Layout.fill(9))))
        #expect(AccountAction.renewCertificate([0xAA, 0xBB]).isEncoded(as: Layout.bytes("06 02 aa bb")))
        #expect(AccountAction.renewFleetKey([0xAA, 0xBB]).isEncoded(as: Layout.bytes("07 02 aa bb")))
        #expect(AccountAction.setName([0xAA, 0xBB]).isEncoded(as: Layout.bytes("08 02 aa bb")))
        #expect(AccountAction.unknown(tag: 9, bytes: [1]).isEncoded(as: Layout.bytes("09 01 01")))
        let renewal = FleetKeyRenewal(
            confirm: Layout.id(3),
            envelopes: [KeyEnvelope(device: Layout.id(5), sealed: [2]), KeyEnvelope(device: Layout.id(4), sealed: [1])]
        )
        #expect(
            renewal.isEncoded(
                as: Layout.bytes(Layout.fill(3) + "02" + Layout.fill(4) + "01 01" + Layout.fill(5) + "01 02")
            )
        )
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt8])
    func `a known action is never read as unknown`(tag: UInt8) {
        #expect(throws: WireError.self) { try AccountAction(decoding: [tag, 1, 0xFF]) }
    }

    @Test func `a certificate or a fleet key that is renewed, or a name that is set, is any bytes`() throws {
        // A device that does not know the kind accepts any bytes, and must not hold an entry that others refuse.
        for bytes in [[], [0xFF], [UInt8](repeating: 1, count: 5_000)] as [[UInt8]] {
            for action in [AccountAction.renewCertificate(bytes), .renewFleetKey(bytes), .setName(bytes)] {
                #expect(try AccountAction(decoding: action.encoded) == action)
            }
        }
    }

    @Test func `a naming is of the account or of a device`() {
        #expect(Naming(of: nil, name: "Bo").isEncoded(as: Layout.bytes("00 02 42 6f")))
        #expect(Naming(of: Layout.id(4), name: "Bo").isEncoded(as: Layout.bytes("01", Layout.fill(4), "02 42 6f")))
    }

    @Test func `a name that is set has 1 to 64 bytes`() {
        #expect(throws: Never.self) { try Naming(of: nil, name: String(repeating: "n", count: 64)).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 64)) {
            try Naming(of: nil, name: String(repeating: "n", count: 65)).checkedEncoding()
        }
        #expect(throws: WireError.invalidValue("string length")) { try Naming(of: nil, name: "").checkedEncoding() }
    }

    @Test(arguments: [
        "\u{202E}niB", "a\u{2066}b", "a\nb", "\u{0}", "\u{85}", "\u{200F}", "a\u{2028}", " ", "\u{3000}\u{A0}",
        "\u{200B}",
    ])
    func `a name that is set neither controls nor turns text, and shows something`(name: String) {
        #expect(throws: WireError.invalidValue("name")) { try Naming(of: nil, name: name).checkedEncoding() }
    }

    @Test func `an entry is written in the order of its drawing`() {
        let entry = AccountEntry(
            account: Layout.id(1),
            parents: [Layout.id(3), Layout.id(2)],
            author: .device(Layout.id(4)),
            nonce: nonce,
            action: .unknown(tag: 9, bytes: [])
        )
        let expected = Layout.bytes(
            "01 01",
            Layout.fill(1),
            "02",
            Layout.fill(2),
            Layout.fill(3),
            "01",
            Layout.fill(4),
            Layout.fill(0x0F, 16),
            "09 00"
        )
        #expect(entry.isEncoded(as: expected))
    }

    @Test func `a signed entry keeps the bytes that were signed`() throws {
        let entry = AccountEntry(
            account: nil,
            parents: [],
            author: .recovery,
            nonce: nonce,
            action: .genesis(recoveryKey: [UInt8](repeating: 9, count: 32), firstDevice: [0xAA], name: "d")
        )
        let entryHex = "01 00 00 02" + Layout.fill(0x0F, 16) + "01 24" + Layout.fill(9) + "01 aa 01 64"
        let signed = SignedAccountEntry(entry, signature: Layout.signature(3))
        #expect(signed.isEncoded(as: Layout.bytes("3a", entryHex, Layout.fill(3, 64))))
        #expect(try SignedAccountEntry(decoding: signed.encoded).bodyBytes == Layout.bytes(entryHex))
    }

    @Test func `only the genesis has neither account nor parents`() {
        let genesis = AccountAction.genesis(recoveryKey: nonce + nonce, firstDevice: [], name: "d")
        let later = AccountAction.unknown(tag: 9, bytes: [])
        let wrong: [(AccountID?, [Hash], AccountAction, String)] = [
            (Layout.id(1), [], genesis, "account"),
            (nil, [Layout.id(1)], genesis, "parents"),
            (nil, [Layout.id(1)], later, "account"),
            (Layout.id(1), [], later, "parents"),
        ]
        for (account, parents, action, field) in wrong {
            let entry = AccountEntry(
                account: account,
                parents: parents,
                author: .recovery,
                nonce: nonce,
                action: action
            )
            #expect(throws: WireError.invalidValue(field)) { try entry.checkedEncoding() }
        }
    }

    @Test func `an author is a device or the recovery key`() {
        #expect(throws: WireError.unknownTag(3)) { try AccountAuthor(decoding: [3]) }
        #expect(AccountAuthor.recovery.isEncoded(as: [2]))
    }
}
