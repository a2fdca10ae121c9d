import FoundationEssentials
import Testing

@testable import KairanClient
@testable import PeerControl

@Suite struct `Fields that have changed` {
    private func change(_ kind: Change.Kind, _ name: String, _ fields: NameDictionary<RecordValue>) -> Change {
        let record = Record(
            zone: "z",
            name: name,
            type: "Note",
            fields: fields,
            version: "v",
            isDeleted: kind == .delete,
            createdBy: "d",
            modifiedBy: "d",
            modifiedAt: Date(timeIntervalSince1970: 0)
        )
        return Change(kind: kind, record: record, bySync: true)
    }

    @Test func `are listed with their values, old and new`() {
        var diary = FieldDiary()
        diary.note(["text": "milk", "count": 2, "old": true], of: "n1", in: "z")
        let text = diary.text(change(.save, "n1", ["text": "milk", "count": 3, "new": "a\u{1B}[2J"]), style: .plain)
        #expect(text == "\n    count: 2 → 3\n    new: a�[2J (new)\n    old: gone, was true")
        let again = diary.text(change(.save, "n1", ["text": "tea", "count": 3, "new": "a\u{1B}[2J"]), style: .plain)
        #expect(again == "\n    text: milk → tea", "each change is compared with the one before")
        let same = diary.text(change(.save, "n1", ["text": "tea", "count": 3, "new": "a\u{1B}[2J"]), style: .plain)
        #expect(same == "\n    no field has another value than before")
    }

    @Test func `of a record that was not known are all of its fields`() {
        var diary = FieldDiary()
        let first = diary.text(change(.save, "n1", ["b": 1, "a": "x"]), style: .plain)
        #expect(first == "\n    not known before; its fields now:\n    a: x\n    b: 1")
        #expect(diary.text(change(.delete, "n1", [:]), style: .plain).isEmpty)
        #expect(diary.text(change(.save, "n1", ["a": "x"]), style: .plain).contains("not known before"))
        diary.note(["a": "x"], of: "n1", in: "other")
        #expect(diary.differences(change(.out, "n1", [:])) == [])
        #expect(diary.differences(change(.save, "n1", ["a": "y"])) == nil, "one of another zone is another record")
    }

    @Test func `of a record that is moved into a zone with known records are new`() {
        var diary = FieldDiary()
        diary.note(["a": 1], of: "n1", in: "z")
        diary.noteAllAreKnown(in: "z")
        #expect(diary.text(change(.save, "n2", ["b": 1]), style: .plain) == "\n    b: 1 (new)")
        #expect(diary.text(change(.save, "n1", ["a": 2]), style: .plain) == "\n    a: 1 → 2")
        #expect(diary.text(change(.delete, "n1", [:]), style: .plain).isEmpty)
        #expect(diary.text(change(.save, "n1", ["a": 2]), style: .plain) == "\n    a: 2 (new)")
    }

    @Test func `are cut off where a value is long`() {
        var diary = FieldDiary()
        let text = diary.text(change(.save, "n", ["a": .string(String(repeating: "x", count: 300))]), style: .plain)
        #expect(text.hasSuffix("\n    a: " + String(repeating: "x", count: 199) + "…"))
    }
}
