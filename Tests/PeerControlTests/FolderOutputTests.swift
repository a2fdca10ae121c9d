import FileRecords
import Folders
import FoundationEssentials
import KairanClient
import Testing

@testable import PeerControl

@Suite struct `Reports about folders` {
    private static func path(_ text: String) throws -> FilePath { try #require(FilePath(text)) }

    private static func line(_ news: FolderNews) -> String? { FolderText.line(.news(news), style: .plain) }

    private static func json(_ report: FolderReport) -> String { FolderText.json(report).encodedText }

    @Test func `are lines for people`() throws {
        let (path, kept) = (try Self.path("d/a\n.txt"), try Self.path("d/b"))
        #expect(Self.line(.uploaded(kept)) == "sent d/b")
        #expect(Self.line(.downloaded(kept)) == "received d/b")
        #expect(Self.line(.adopted(kept)) == nil)
        #expect(Self.line(.trashed(kept)) == "moved to the trash d/b")
        #expect(
            Self.line(.problem("link", reason: "it is a symbolic link")) == "not in step: link: it is a symbolic link"
        )
        // A name cannot move the cursor.
        let conflict = try #require(Self.line(.conflict(path, kept: kept)))
        #expect(!conflict.contains("\n") && conflict.hasSuffix("this folder's version is now d/b"))
        #expect(FolderText.line(.inStep(files: 1, failed: 0), style: .plain) == "1 file in step")
        #expect(
            FolderText.line(.inStep(files: 2, failed: 1), style: .plain)?.hasPrefix("2 files in step, 1 not") == true
        )
        #expect(FolderText.line(.planned(.ask(kept)), style: .plain) == nil)
    }

    @Test func `are documents for programs`() throws {
        let (path, kept) = (try Self.path("a"), try Self.path("b"))
        #expect(Self.json(.news(.uploaded(path))) == #"{"event":"uploaded","path":"a"}"#)
        #expect(Self.json(.news(.conflict(path, kept: kept))) == #"{"event":"conflict","path":"a","kept":["b"]}"#)
        #expect(Self.json(.news(.split(path, [kept]))) == #"{"event":"conflict","path":"a","kept":["b"]}"#)
        #expect(Self.json(.inStep(files: 3, failed: 1)) == #"{"event":"in_step","files":3,"failed":1}"#)
        #expect(Self.json(.planned(.ask(path))) == #"{"event":"planned","action":"ask","path":"a"}"#)
    }

    @Test func `list the trash with the places of its files`() throws {
        let file = TrashedFile(day: "2026-07-21", bin: "2026-07-21.2", path: try Self.path("d/a"), size: 2048)
        #expect(FolderText.list([], style: .plain) == "the trash is empty")
        #expect(FolderText.list([file], style: .plain) == "DELETED        SIZE  PATH\n2026-07-21  2.0 KiB  d/a")
        let json = FolderText.json(file).encodedText
        #expect(json.contains(#""file":".kairan-trash/2026-07-21.2/d/a""#))
    }

    @Test func `name conflict files behind the records in conflict`() throws {
        let other = FileRecord(
            path: try Self.path("a (conflict desk now)"),
            content: AssetDescription(asset: "x"),
            digest: nil,
            conflictOf: try Self.path("a")
        )
        let time = Date(milliseconds: 1_784_626_200_000)
        let record = Record(
            zone: "zzzzzzzzzz",
            name: other.path.recordName,
            type: FileRecord.type,
            fields: other.write(ifVersion: nil).fields,
            version: "v",
            createdBy: "d",
            modifiedBy: "dddddddddd",
            modifiedAt: time
        )
        #expect(
            Conflicts.text([], files: [record], style: .plain) == """
                a (conflict desk now)  zone zzzzzzzz
                  another version of a, by dddddddd, 2026-07-21 09:30:00Z

                Of a file and its conflict file, keep the one that you want, and delete the other.
                """
        )
        #expect(Conflicts.json(record)["conflict_of"]?.text == "a")
    }
}
