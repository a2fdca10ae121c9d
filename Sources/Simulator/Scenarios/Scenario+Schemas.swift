import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Accounts promote schemas independently of each other, and one does not comply with them.
    static let schemas = Scenario(
        name: "schemas",
        summary:
            "two partitioned accounts promote schemas and policies, all write, and modified daemons write violations of them",
        shape: { options, random in options.shapeForRights(&random) },
        script: { history in
            let zone = try history.openSharedZone(.admin)
            let (first, second) = (history.simulation.accounts[0].id, history.simulation.accounts[1].id)
            try history.writeEverywhere(zone, times: 2)
            let policies = (0..<2).map { _ in history.random.chance(0.6) ? ConflictPolicy.latest : .keep }
            history.promote(.withoutPlaces(policies[0]), zone, by: first)
            if history.random.chance(0.5) { try history.wait(8_000) }
            history.divide { $0.accountID == second }
            // Of two fields of one name and two kinds one is effective, on all sides the same one.
            let other: Schema = history.random.chance(0.3) ? .withOtherCounts : .withTasks(policies[1])
            history.promote(other, zone, by: second)
            try history.wait(2_000)
            for _ in 0..<3 {
                try history.writeEverywhere(zone, times: 1)
                for node in history.nodes where history.random.chance(0.4) {
                    try history.breakTheSchema(zone, on: node)
                    try history.wait(500)
                }
            }
            try history.rejoin()
            try history.wait(20_000)
            for node in history.nodes where history.random.chance(0.5) { try history.breakTheSchema(zone, on: node) }
            try history.writeEverywhere(zone, times: 1)
            if history.random.chance(0.3) { try history.sharing.settleQuarantine(on: history.nodes[0]) }
            try history.disturb()
            try history.conclude()
        }
    )
}

extension Schema {
    /// The fields that the applications write, without one of them: some of their writes are refused.
    fileprivate static func withoutPlaces(_ conflicts: ConflictPolicy) -> Schema {
        Schema(types: [
            RecordTypeSchema(
                name: Workload.type,
                fields: common + [FieldSchema(name: Workload.counterField, kind: .counter)],
                conflicts: conflicts
            )
        ])
    }

    /// All fields that they write, and another type.
    fileprivate static func withTasks(_ conflicts: ConflictPolicy) -> Schema {
        Schema(types: [
            RecordTypeSchema(
                name: Workload.type,
                fields: common + [
                    FieldSchema(name: "place", kind: .string), FieldSchema(name: Workload.counterField, kind: .counter),
                ],
                conflicts: conflicts
            ),
            RecordTypeSchema(name: "task", fields: [FieldSchema(name: "done", kind: .bool, isRequired: true)]),
        ])
    }

    /// The fields that they write, one of them with another kind.
    fileprivate static let withOtherCounts = Schema(types: [
        RecordTypeSchema(name: Workload.type, fields: common + [FieldSchema(name: Workload.counterField, kind: .int64)])
    ])

    private static let common = [
        FieldSchema(name: "title", kind: .string), FieldSchema(name: "body", kind: .string),
        FieldSchema(name: Workload.setField, kind: .set),
    ]
}

extension History {
    /// Declares and promotes a schema on a device of an account.
    fileprivate func promote(_ schema: Schema, _ zone: ZoneID, by account: AccountID) {
        guard let node = random.element(of: devices(of: account).filter(\.isRunning)) else { return }
        node.decide("promote") { committer, _, transaction in
            guard let row = try transaction.zone(zone) else { return CommitNotice() }
            let container = row.genesis.container
            var notice = try Schemas(committer).declare(schema, container: container, in: &transaction)
            notice.merge(try Schemas(committer).promote(container: container, in: &transaction).notice)
            return notice
        }
    }

    /// Lets a modified daemon write a record of an undeclared type, as if it was allowed.
    fileprivate func breakTheSchema(_ zone: ZoneID, on node: SimulatedNode) throws {
        let name = workload.makeName()
        judge.claims.schemaBreakers.insert(node.device)
        node.decide("break the schema") { committer, _, transaction in
            guard let production = try transaction.zone(zone)?.productionSchema() else { return CommitNotice() }
            let lax = try production.schema.joined(
                with: Schema(types: [RecordTypeSchema(name: "odd", fields: [FieldSchema(name: "x", kind: .bool)])])
            )
            _ = try ZoneEvaluation(of: zone).enforce(production.pretending(lax), in: &transaction)
            let write = RecordWrite(name: "odd-" + name, type: "odd", set: [.init(field: "x", value: .bool(true))])
            let notice = try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
            _ = try ZoneEvaluation(of: zone).enforce(production, in: &transaction)
            return notice
        }
    }
}
