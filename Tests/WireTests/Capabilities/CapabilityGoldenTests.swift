import Testing
import Wire

/// Capabilities and the control operations about them byte for byte, and the inputs that their decoders refuse.
@Suite struct CapabilityGoldenTests {
    private let caveats = Caveats(recordTypes: ["b", "a", "b"], namePrefix: "p", notBefore: 300, delegationDepth: 3)
    private let caveatsHex = "02 01 61 01 62 01 70 01 ac02 00 03"
    private let position = LogPosition(actor: Layout.id(7), lane: .data, size: 2, root: Layout.id(8))
    private let positionHex = Layout.fill(7) + "01 02" + Layout.fill(8)

    private func capability(_ caveats: Caveats) -> Capability {
        Capability(
            resource: .zone(Layout.id(1)),
            issuer: Layout.id(2),
            signer: Layout.id(3),
            audience: Layout.id(4),
            rights: Rights(.write, canDelegate: true),
            caveats: caveats,
            parent: .zero,
            nonce: [UInt8](repeating: 0x0F, count: 16)
        )
    }

    private var capabilityHex: String {
        "01 01" + Layout.fill(1) + Layout.fill(2) + Layout.fill(3) + Layout.fill(4) + "04 01" + caveatsHex
            + Layout.fill(0) + Layout.fill(0x0F, 16)
    }

    private var signed: SignedCapability {
        SignedCapability(capability(caveats), signature: Layout.signature(6))
    }

    /// 192 bytes (c0 01) of capability, then the signature.
    private var signedHex: String { "c001" + capabilityHex + Layout.fill(6, 64) }

    @Test func `levels are 1 to 5 in order`() {
        #expect(AccessLevel.allCases.map(\.encoded) == [[1], [2], [3], [4], [5]])
        #expect(AccessLevel.allCases == [.relay, .read, .append, .write, .admin])
        #expect(AccessLevel.allCases.sorted() == AccessLevel.allCases)
        #expect(throws: WireError.invalidValue("level")) { try AccessLevel(decoding: [0]) }
        #expect(throws: WireError.invalidValue("level")) { try AccessLevel(decoding: [6]) }
    }

    @Test func `rights are a level and a flag`() {
        #expect(Rights(.admin).isEncoded(as: [5, 0]))
        #expect(Rights(.read, canDelegate: true).isEncoded(as: [2, 1]))
        #expect(throws: WireError.invalidValue("bool")) { try Rights(decoding: [2, 2]) }
    }

    @Test func `a resource is a zone, a relay or an account`() {
        #expect(CapabilityResource.zone(Layout.id(1)).isEncoded(as: Layout.bytes("01", Layout.fill(1))))
        #expect(CapabilityResource.relay(Layout.id(1)).isEncoded(as: Layout.bytes("02", Layout.fill(1))))
        #expect(CapabilityResource.account(Layout.id(1)).isEncoded(as: Layout.bytes("03", Layout.fill(1))))
        #expect(throws: WireError.unknownTag(4)) {
            try CapabilityResource(decoding: Layout.bytes("04", Layout.fill(1)))
        }
    }

    @Test func `caveats are written in the order of their drawing`() {
        #expect(caveats.isEncoded(as: Layout.bytes(caveatsHex)))
        #expect(Caveats().isEncoded(as: Layout.bytes("00 00 00 00 00")))
        #expect(Caveats(expires: 5).isEncoded(as: Layout.bytes("00 00 00 01 05 00")))
    }

    @Test func `types ascend by their bytes without repetition`() {
        // "é" in one scalar (c3 a9) and in two (65 cc 81) are two types.
        let both = Caveats(recordTypes: ["\u{E9}", "e\u{301}"])
        #expect(both.isEncoded(as: Layout.bytes("02 03 65cc81 02 c3a9 00 00 00 00")))
        #expect(Caveats(recordTypes: ["\u{E9}"]) != Caveats(recordTypes: ["e\u{301}"]))
        for list in ["02 01 62 01 61", "02 01 61 01 61"] {
            #expect(throws: WireError.notAscending) { try Caveats(decoding: Layout.bytes(list, "00 00 00 00")) }
        }
        #expect(throws: WireError.invalidValue("string length")) {
            try Caveats(decoding: Layout.bytes("01 00 00 00 00 00"))
        }
    }

    @Test func `caveats have limits`() {
        func types(_ count: Int) -> Caveats { Caveats(recordTypes: (0..<count).map { "t\($0)" }) }
        #expect(throws: Never.self) { try types(16).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 16)) { try types(17).checkedEncoding() }
        func prefix(_ count: Int) -> Caveats { Caveats(namePrefix: String(repeating: "p", count: count)) }
        #expect(throws: Never.self) { try prefix(255).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 255)) { try prefix(256).checkedEncoding() }
        #expect(throws: Never.self) { try Caveats(delegationDepth: 7).checkedEncoding() }
        #expect(throws: WireError.invalidValue("delegation depth")) {
            try Caveats(delegationDepth: 8).checkedEncoding()
        }
    }

    @Test func `an unknown caveat is refused`() {
        #expect(throws: WireError.trailingBytes) { try Caveats(decoding: Layout.bytes(caveatsHex, "00")) }
        var bytes = capability(caveats).encoded
        bytes[0] = 2
        #expect(throws: WireError.unknownTag(2)) { try Capability(decoding: bytes) }
    }

    @Test func `a capability is written in the order of its drawing`() {
        #expect(capability(caveats).isEncoded(as: Layout.bytes(capabilityHex)))
        #expect(capability(caveats).isRoot)
    }

    @Test func `a signed capability keeps the bytes that were signed`() throws {
        #expect(signed.isEncoded(as: Layout.bytes(signedHex)))
        #expect(try SignedCapability(decoding: signed.encoded).bodyBytes == Layout.bytes(capabilityHex))
    }

    @Test func `a signed capability has at most 2,048 bytes`() {
        // Eight types of 212 bytes with their lengths and a prefix come close to the limit.
        func sized(_ prefix: Int) -> SignedCapability {
            let types = (0..<8).map { "\($0)" + String(repeating: "t", count: 211) }
            let caveats = Caveats(recordTypes: types, namePrefix: String(repeating: "p", count: prefix))
            return SignedCapability(capability(caveats), signature: Layout.signature(6))
        }
        #expect(sized(85).encoded.count == 2_048)
        #expect(throws: Never.self) { try sized(85).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 1_982)) { try sized(86).checkedEncoding() }
    }

    private let consent = SignedTransferConsent(
        consent: TransferConsent(
            zone: Layout.id(1),
            ownership: Layout.id(2),
            account: Layout.id(9),
            offer: Layout.id(5),
            device: Layout.id(3)
        ),
        signature: Layout.signature(6)
    )
    private let consentHex =
        "01" + Layout.fill(1) + Layout.fill(2) + Layout.fill(9) + Layout.fill(5) + Layout.fill(3)
        + Layout.fill(6, 64)

    @Test func `a consent to own a zone states which ownership ends, and answers one offer`() throws {
        #expect(consent.isEncoded(as: Layout.bytes(consentHex)))
        #expect(OwnershipTransfer(consent: consent).newOwner == Layout.id(9))
        #expect(TransferAnswer.accepted(consent).offer == Layout.id(5))
        #expect(throws: WireError.invalidValue("keeps")) { try TransferOffer(decoding: Layout.bytes("00 01 04")) }
        #expect(throws: WireError.unknownTag(3)) { try TransferAnswer(decoding: Layout.bytes("03" + Layout.fill(5))) }
    }

    @Test func `control operations about rights have tags and lengths`() {
        let revocation = Revocation(capabilities: [Layout.id(5)], cuts: [position], reason: "x")
        let raise = CutRaise(capability: Layout.id(5), cuts: [position])
        let access = PublicAccess(world: .read, authenticated: .create, creator: .all)
        let table: [(ControlBody, String)] = [
            (.grant(Grant(signed)), "04 8202" + signedHex),
            (.revoke(revocation), "05 67 01" + Layout.fill(5) + "01" + positionHex + "00 01 78"),
            (.transfer(OwnershipTransfer(consent: consent)), "06 e301" + consentHex + "00 00"),
            (.leave(Leave()), "07 01 00"),
            (.leave(Leave(cuts: [position])), "07 43 01" + positionHex),
            (.raiseCut(raise), "08 63" + Layout.fill(5) + "01" + positionHex),
            (.publicAccess(access), "09 03 01 02 07"),
            (.schema([1, 2]), "0a 02 0102"),
            (.epoch([0xFF]), "0b 01 ff"),
            (.delivery([0xFE]), "0c 01 fe"),
            (.epochAgain([0xFD]), "0d 01 fd"),
            (
                .deviceCuts(DeviceCuts(devices: [Layout.id(9), Layout.id(5)], cuts: [position])),
                "0e 8401 02" + Layout.fill(5) + Layout.fill(9) + "01" + positionHex
            ),
            (.keyRequest([0xFC]), "0f 01 fc"),
            (.transferOffer(.withdrawal), "10 02 00 00"),
            (.transferOffer(TransferOffer(to: Layout.id(9))), "10 22 01" + Layout.fill(9) + "00"),
            (.transferOffer(TransferOffer(to: Layout.id(9), keeps: .write)), "10 23 01" + Layout.fill(9) + "01 04"),
            (.transferAnswer(.accepted(consent)), "11 e201 01" + consentHex),
            (.transferAnswer(.declined(offer: Layout.id(5))), "11 21 02" + Layout.fill(5)),
        ]
        for (body, hex) in table {
            #expect(body.isEncoded(as: Layout.bytes(hex)), "\(hex)")
        }
    }

    @Test func `regrants ascend by the bytes of the capability, then of the signature`() throws {
        let early = SignedCapability(capability(Caveats()), signature: Layout.signature(9))
        let late = SignedCapability(capability(caveats), signature: Layout.signature(1))
        let other = SignedCapability(capability(caveats), signature: Layout.signature(2))
        let transfer = OwnershipTransfer(consent: consent, regrants: [other, late, early, late])
        #expect(transfer.regrants == [early, late, other])
        let lists = [[late, early], [other, late], [late, late]]
        for list in lists {
            var writer = WireWriter()
            writer.write(transfer.consent)
            writer.writeCount(0)
            writer.writeList(list)
            #expect(throws: WireError.notAscending) { try OwnershipTransfer(decoding: writer.bytes) }
        }
    }

    @Test func `a revocation ends 1 to 1,024 capabilities, grants at most 256 anew, and has a short reason`() {
        func ids(_ count: UInt64) -> [Hash] {
            (0..<count).map { Hash(Digest32(word0: $0, word1: 0, word2: 0, word3: 0)) }
        }
        #expect(throws: WireError.invalidValue("capabilities")) {
            try Revocation(capabilities: []).checkedEncoding()
        }
        #expect(throws: Never.self) { try Revocation(capabilities: ids(1_024)).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 1_024)) { try Revocation(capabilities: ids(1_025)).checkedEncoding() }
        func regrants(_ count: UInt64) -> Revocation {
            let tokens = (0..<count).map {
                SignedCapability(capability(Caveats(expires: $0)), signature: Layout.signature(1))
            }
            return Revocation(capabilities: ids(1), regrants: tokens)
        }
        #expect(throws: Never.self) { try regrants(256).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 256)) { try regrants(257).checkedEncoding() }
        let long = Revocation(capabilities: ids(1), reason: String(repeating: "r", count: 1_025))
        #expect(throws: WireError.tooLong(limit: 1_024)) { try long.checkedEncoding() }
    }

    @Test func `public rights are the three bits that have a meaning`() {
        #expect(PublicRights.all.isEncoded(as: [7]))
        #expect(PublicAccess.none.isEncoded(as: [0, 0, 0]))
        #expect(throws: WireError.invalidValue("public rights")) { try PublicRights(decoding: [8]) }
    }
}
