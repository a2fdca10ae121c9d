/// A named kind of history: its options and its script.
package struct Scenario: Sendable {
    /// The name by which it is selected.
    package let name: String
    /// One line for people.
    package let summary: String
    /// Changes the options that were drawn from the seed.
    let shape: @Sendable (inout SimulationOptions, inout SeededGenerator) -> Void
    /// The events of the history.
    let script: @Sendable (History) throws -> Void

    /// All scenarios; the first one is the default.
    package static let all: [Scenario] =
        [
            .everything, .restoredBackup, .virtualMachineRollback, .clonedDisk, .clonedMachine, .yearAway,
            .forgottenDeletions, .lostStore,
            .conflictStorm, .clockOff, .clockAhead, .futureStamp, .deleteAndCreate, .poisonedBatch, .byzantine,
            .membership,
            .lateCut, .lateKey, .voidAdmission, .quietRollback, .evenRollback, .diskTrouble, .flapping, .twoInARoom,
            .sharing, .publicZones, .revokedUnderPartition, .backdatingWriter, .duellingAdmins, .delegatorRemoved,
            .thief, .handover,
            .byzantineMember, .schemas, .pairs, .messages, .payloads, .assets, .evictions, .links, .relay, .contents,
            .mailboxes,
            .correspondence,
            .counting, .joining, .doors, .names, .forgers,
        ] + Liar.allCases.map(\.scenario)

    /// The scenario of a name; nil when there is none.
    package static func named(_ name: String) -> Scenario? {
        all.first { $0.name == name }
    }

    /// The options of a seed in this scenario.
    /// - Parameter seed: The seed.
    /// - Returns: The options.
    package func options(of seed: UInt64) -> SimulationOptions {
        var random = SeededGenerator(seed: seed)
        var options = SimulationOptions.drawn(using: &random)
        shape(&options, &random)
        // The generator is a separate one, so that an unsealed seed stays the history that it always was.
        var own = SeededGenerator(seed: ~seed)
        options.isSealed = own.chance(0.6) && !RememberedSeed.isInClear(seed, in: name) || options.isSealedAlways
        let isWithoutKeys = RememberedSeed.isWithoutKeys(seed, in: name)
        options.hasJoinZones = own.chance(0.5) && options.isSealed && !isWithoutKeys
        // The keys of an account travel in envelopes, so unsealed histories do not renew them.
        let hasKeys = own.chance(0.5) && options.isSealed && !isWithoutKeys
        options.hasRooms = options.hasRooms || (own.chance(0.5) && hasKeys)
        options.hasAccountKeys = options.hasAccountKeys || hasKeys
        return options
    }

    /// Runs one history from beginning to end.
    /// - Parameters:
    ///   - seed: The seed from which everything follows.
    ///   - options: The options; `nil` = as the scenario says.
    ///   - sink: Receives a line for each event.
    /// - Returns: The outcome.
    package func run(
        seed: UInt64,
        options: SimulationOptions? = nil,
        sink: ((String) -> Void)? = nil
    ) -> HistoryReport {
        let options = options ?? self.options(of: seed)
        var report = HistoryReport(scenario: name, seed: seed, options: options)
        do {
            let history = try History(seed: seed, options: options)
            history.simulation.trace.sink = sink
            do {
                try script(history)
            } catch let violation as Violation {
                report.violation = violation
            } catch {
                let time = history.simulation.now
                report.violation = Violation(invariant: 0, time: time, "an error was not caught: \(error)")
            }
            report.take(history)
        } catch {
            report.violation = Violation(invariant: 0, "the world could not be made: \(error)")
        }
        return report
    }
}
