import Records
import Sync
import Testing
import Wire

/// The reasons why writes of guests are refused, as they go from the store that decides to the one that asks.
@Suite struct `A refused write of a guest` {
    /// Returns a refusal as the guest has it.
    private func told(_ violations: [SchemaViolation]) -> WriteRefusal {
        WriteRefusal(GuestResult.Refusal(.schemaViolation(violations)))
    }

    @Test func `names the fields that break the zone's schema, and none where the type does`() {
        let violations = [
            SchemaViolation(field: nil, rule: .undeclaredType, found: "note"),
            SchemaViolation(field: "text", rule: .kind, found: "int64"),
        ]
        #expect(told(violations) == .schemaViolation(violations))
    }

    @Test func `names sixteen things that break the schema at most, the first ones`() {
        let violations = (0...Limits.guestViolationCountMax).map { number in
            SchemaViolation(field: "field \(number)", rule: .required, found: "nothing")
        }
        let first = Array(violations.dropLast())
        #expect(told(first) == .schemaViolation(first))
        #expect(told(violations) == .schemaViolation(first))
    }
}
