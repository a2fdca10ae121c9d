import Testing
import Wire

@Suite struct `The description of an asset` {
    private func descriptor(_ change: (inout AssetDescriptor) -> Void = { _ in }) -> AssetDescriptor {
        var descriptor = AssetDescriptor(
            payload: Layout.id(1),
            size: 0,
            secret: AssetSecret([UInt8](repeating: 7, count: AssetSecret.byteCount)) ?? .unknown,
            mediaType: "",
            fileName: "",
            modified: nil,
            thumbnail: []
        )
        change(&descriptor)
        return descriptor
    }

    @Test func `may state nothing but the payload, its size and its secret`() {
        let bytes = descriptor().encoded
        #expect(bytes == Layout.bytes(Layout.fill(1) + "00" + Layout.fill(7) + "00 00 00 00"))
        #expect(bytes.count == AssetDescriptor.byteCountMin && descriptor().isEncoded(as: bytes))
    }

    @Test func `is refused without a secret, which only the device can find`() {
        let bare = descriptor { $0.secret = .unknown }
        #expect(!bare.isResolved && !AssetSecret.unknown.isKnown && descriptor().isResolved)
        #expect(throws: WireError.invalidValue("secret")) { try bare.checkedEncoding() }
        #expect(AssetSecret([]) == nil && AssetSecret([UInt8](repeating: 1, count: 33)) == nil)
        #expect(AssetSecret([UInt8](repeating: 0, count: 32)) == .unknown)
    }

    @Test func `shows its secret to nobody that prints it`() {
        let printed = String(describing: descriptor()) + String(reflecting: descriptor())
        #expect(!printed.contains("7, 7") && printed.contains("the secret of an asset"))
    }

    @Test func `is of a content that a payload can have`() throws {
        let largest = descriptor { $0.size = AssetDescriptor.sizeMax }
        #expect(try largest.checkedEncoding() == largest.encoded)
        let larger = descriptor { $0.size += AssetDescriptor.sizeMax + 1 }
        #expect(throws: WireError.invalidValue("size")) { try larger.checkedEncoding() }
    }

    @Test(arguments: ["a", "a b.jpg", "..a", "...", "\\", "\u{1}", String(repeating: "é", count: 127)])
    func `may name a file by one component of a path`(name: String) throws {
        #expect(AssetDescriptor.isFileName(name))
        let named = descriptor { $0.fileName = name }
        #expect(try AssetDescriptor(decoding: named.checkedEncoding()) == named)
    }

    @Test(arguments: [".", "..", "/", "a/b", "../a", "a\u{0}"])
    func `names no other directory, and nothing that the system cuts off`(name: String) {
        #expect(!AssetDescriptor.isFileName(name))
        let named = descriptor { $0.fileName = name }
        #expect(throws: WireError.invalidValue("fileName")) { try named.checkedEncoding() }
    }

    @Test func `has short texts and a small preview`() throws {
        let most = descriptor { descriptor in
            descriptor.fileName = String(repeating: "a", count: 255)
            descriptor.mediaType = String(repeating: "b", count: 255)
            descriptor.thumbnail = [UInt8](repeating: 1, count: 16_384)
        }
        #expect(try most.checkedEncoding() == most.encoded)
        for change: (inout AssetDescriptor) -> Void in [{ $0.fileName += "a" }, { $0.mediaType += "b" }] {
            var longer = most
            change(&longer)
            #expect(throws: WireError.tooLong(limit: 255)) { try longer.checkedEncoding() }
        }
        var larger = most
        larger.thumbnail.append(1)
        #expect(throws: WireError.tooLong(limit: 16_384)) { try larger.checkedEncoding() }
    }

    @Test func `is compared by its bytes`() {
        let names = ["é", "e\u{301}"].map { name in descriptor { $0.fileName = name } }
        #expect(names[0] != names[1] && Set(names).count == 2)
        let dated = descriptor { $0.modified = 0 }
        #expect(dated != descriptor())
    }
}
