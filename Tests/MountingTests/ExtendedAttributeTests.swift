import Glibc
import KairanClient
import Testing

@testable import Mounting

@Suite struct `The extended attributes of a file` {
    private func file(_ record: Record) throws -> MountedFile { try #require(RecordFiles(record).claims.first).file }

    @Test func `are those that its record states`() throws {
        let plain = try file(SomeRecords.file("a"))
        let names = ExtendedAttribute.names(of: plain).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            names == [
                "user.kairan.state", "user.kairan.percent", "user.kairan.asset", "user.kairan.device",
                "user.kairan.conflicts",
            ]
        )
        var record = SomeRecords.file("a")
        record.conflicts = 2
        var content = AssetDescription(asset: "a1", size: 3, mediaType: "image/jpeg")
        content.thumbnail = .init([1, 2, 3])
        record.fields["content"] = .asset(content)
        record.fields["sha256"] = .bytes(Array(repeating: 0xAB, count: 32))
        record.fields["sha256_of"] = .string("a1")
        let rich = try file(record)
        #expect(ExtendedAttribute.names(of: rich).split(separator: 0).count == ExtendedAttribute.allCases.count)
        #expect(ExtendedAttribute.digest.value(of: rich) == .known(Array(String(repeating: "ab", count: 32).utf8)))
        #expect(ExtendedAttribute.mediaType.value(of: rich) == .known(Array("image/jpeg".utf8)))
        #expect(ExtendedAttribute.conflicts.value(of: rich) == .known(Array("2".utf8)))
        #expect(ExtendedAttribute.device.value(of: rich) == .known(Array("d2".utf8)))
        #expect(ExtendedAttribute.thumbnail.value(of: rich) == .asked)
    }

    @Test func `are found by their names`() {
        for attribute in ExtendedAttribute.allCases { #expect(ExtendedAttribute(name: attribute.name) == attribute) }
        for name in ["user.kairan.", "user.kairan.mediaType", "state", "security.selinux", ""] {
            #expect(ExtendedAttribute(name: name) == nil, "\(name)")
        }
    }

    @Test func `tell their size, and refuse too little room`() {
        #expect(KernelAnswer.extended([1, 2, 3], room: 0) == .size(3))
        #expect(KernelAnswer.extended([1, 2, 3], room: 3) == .bytes([1, 2, 3]))
        #expect(KernelAnswer.extended([1, 2, 3], room: 2) == .failure(ERANGE))
    }
}

@Suite struct `The options of a mount` {
    @Test func `make it readable alone, and nothing in it executable unless it is wanted`() {
        let plain = MountOptions(source: "holiday").text.split(separator: ",")
        #expect(
            Set(plain) == [
                "ro", "nosuid", "nodev", "noexec", "default_permissions", "auto_unmount", "subtype=kairan",
                "fsname=holiday",
            ]
        )
        let open = MountOptions(source: "holiday", allowsOthers: true, allowsExecution: true).text
        #expect(open.hasSuffix(",allow_other") && !open.contains("noexec"))
        let writable = MountOptions(source: "holiday", isWritable: true).text.split(separator: ",")
        #expect(Set(writable) == Set(plain).subtracting(["ro"]).union(["rw"]))
    }

    @Test func `name the zone by its id where its name is no plain word`() {
        #expect(MountOptions.source(name: "holiday-2026.b_c", id: "id") == "holiday-2026.b_c")
        for name in ["", "-o", "a b", "a,b", "a/b", "é", "a\\b"] {
            #expect(MountOptions.source(name: name, id: "id") == "id", "\(name)")
        }
        #expect(MountOptions(source: "a,b\\c").text.contains(#"fsname=a\,b\\c"#))
    }

    @Test func `are beside messages that stay on one line`() {
        #expect(FaultLog.visible("a\nb\u{1B}[2Jé\u{9B}") == "a\\x0Ab\\x1B[2Jé\\x9B")
        let told = Evicted()
        let log = FaultLog { _ in told.note(1) }
        for path in ["a", "a", "b", "a"] { log.note(ReadFault.stale, reading: path) }
        #expect(told.all.count == 3)
    }
}
