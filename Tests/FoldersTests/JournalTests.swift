import FileRecords
import Testing

@testable import Folders

@Suite struct `The journal of a folder` {
    private static let header = JournalHeader(zone: "z", path: "/home/a/ü", folderInode: .max, markerInode: 7)

    private static func base(_ number: UInt64) -> FolderBase {
        FolderBase(
            digest: digest("content \(number)"),
            identity: FileIdentity(
                device: 5,
                inode: .max - number,
                size: number,
                modified: -1,
                changed: .max,
                isExecutable: number.isMultiple(of: 2)
            ),
            version: "v\(number)",
            asset: "asset \(number)",
            isVerified: number > 1,
            isExecutable: number == 1
        )
    }

    private static func bytes(_ changes: [BaseChange]) -> [UInt8] {
        JournalText.line(header) + changes.flatMap { JournalText.line($0) }
    }

    @Test func `is read as it was written, on the file system as it is numbered now`() throws {
        let odd = path("a \"quoted\" \u{1} name\n")
        let changes: [BaseChange] = [
            .set(path("a"), Self.base(1)), .set(odd, Self.base(2)), .set(path("a"), Self.base(3)), .forget(path("b")),
        ]
        let content = try #require(JournalText.read(Self.bytes(changes), device: 5))
        #expect(content.header == Self.header)
        #expect(content.bases == [path("a"): Self.base(3), odd: Self.base(2)])
        #expect(content.lineCount == 5 && content.byteCount == Self.bytes(changes).count)
        let moved = try #require(JournalText.read(Self.bytes(changes), device: 9))
        #expect(moved.bases.values.allSatisfy { $0.identity.device == 9 })
    }

    @Test func `that was torn anywhere in its last line is an earlier one`() throws {
        let whole = Self.bytes([.set(path("a"), Self.base(1))])
        let last = JournalText.line(.set(path("a"), Self.base(2)))
        for count in 0..<last.count {
            let content = try #require(JournalText.read(whole + last.prefix(count), device: 5))
            #expect(content.bases == [path("a"): Self.base(1)] && content.byteCount == whole.count)
        }
        // A power cut may leave zeros, and more than one line of them.
        let zeros = [UInt8](repeating: 0, count: 100) + [UInt8(ascii: "\n")] + [UInt8](repeating: 0, count: 10)
        #expect(try #require(JournalText.read(whole + zeros, device: 5)).bases.count == 1)
    }

    @Test func `that is damaged in its middle is none`() {
        let lines = [JournalText.line(Self.header), JournalText.line(.set(path("a"), Self.base(1)))]
        let forget = JournalText.line(.forget(path("a")))
        #expect(JournalText.read(lines[0] + lines[1].dropFirst() + forget, device: 5) == nil)
        #expect(JournalText.read(lines[1] + forget, device: 5) == nil)
        #expect(JournalText.read(lines[0] + Array("{\"other\":1}\n".utf8), device: 5) == nil)
        #expect(JournalText.read([], device: 5) == nil)
    }

    @Test func `is written anew before it is much longer than its bases`() throws {
        try TestFolder.with { folder in
            let bases = [path("a"): Self.base(1)]
            let journal = try FolderJournal(in: folder, header: Self.header, bases: bases)
            for _ in 0..<700 {
                try journal.append(
                    [.set(path("b"), Self.base(2)), .forget(path("b"))],
                    isUrgent: false,
                    of: bases
                )
            }
            let content = try #require(FolderJournal.read(in: folder, device: 5))
            #expect(content.bases == bases)
            #expect(content.lineCount < 1_010)
        }
    }

    @Test func `is found by the path of its folder`() throws {
        try TestFolder.with { folder in
            let states = FolderStates(path: folder + "/kairan/folders")
            #expect(states.ids(ofPath: "/home/a/ü").isEmpty)
            try states.make("1f")
            _ = try FolderJournal(in: states.path(of: "1f"), header: Self.header, bases: [:])
            #expect(states.ids(ofPath: "/home/a/ü") == ["1f"])
            #expect(states.ids(ofPath: "/home/a").isEmpty)
            states.remove("1f")
            #expect(states.ids(ofPath: "/home/a/ü").isEmpty)
        }
    }
}

@Suite struct `The marker of a folder` {
    @Test func `is read as it was written, and nothing else is one`() {
        var generator = SystemRandomNumberGenerator()
        let marker = FolderMarker(zone: "z", using: &generator)
        #expect(FolderMarker(marker.encoded) == marker)
        #expect(marker != FolderMarker(zone: "z", using: &generator))
        for text in ["", "{}", "{\"format\":\"kairan-folder-1\",\"zone\":\"z\",\"id\":\"../../x\"}"] {
            #expect(FolderMarker(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
