/// A kind of history with a name: what its options are like, and what happens in it.
package struct Scenario: Sendable {
    /// By which it is asked for.
    package let name: String
    /// One line for people.
    package let summary: String
    /// Changes the options that were drawn from the seed.
    let shape: @Sendable (inout SimulationOptions, inout SeededGenerator) -> Void
    /// What happens.
    let script: @Sendable (History) throws -> Void

    /// All scenarios; the first one is the default.
    package static let all: [Scenario] =
        [
            .everything, .restoredBackup, .virtualMachineRollback, .clonedDisk, .clonedMachine, .yearAway,
            .forgottenDeletions, .lostStore,
            .conflictStorm, .clockOff, .clockAhead, .futureStamp, .deleteAndCreate, .poisonedBatch, .byzantine,
            .membership,
            .lateCut, .lateKey, .quietRollback, .evenRollback, .diskTrouble, .flapping, .twoInARoom,
            .sharing, .publicZones, .revokedUnderPartition, .backdatingWriter, .duellingAdmins, .delegatorRemoved,
            .thief, .handover,
            .byzantineMember, .schemas, .pairs, .messages, .payloads, .relay, .mailboxes, .correspondence, .counting,
            .joining, .doors, .names,
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
        // From a generator of its own, so that a seed in clear is the history that it always was.
        var own = SeededGenerator(seed: ~seed)
        options.isSealed = own.chance(0.6) && !RememberedSeed.isInClear(seed, in: name) || options.isSealedAlways
        let isRemembered = RememberedSeed.isRemembered(seed, in: name)
        options.hasJoinZones = own.chance(0.5) && options.isSealed && !isRemembered
        // The keys of an account travel in envelopes, so histories in clear have none that are made anew.
        let hasKeys = own.chance(0.5) && options.isSealed && !isRemembered
        options.hasRooms = options.hasRooms || (own.chance(0.5) && hasKeys)
        options.hasAccountKeys = options.hasAccountKeys || hasKeys
        return options
    }

    /// Runs one history from beginning to end.
    /// - Parameters:
    ///   - seed: What everything follows from.
    ///   - options: What it is like; nil = as the scenario says.
    ///   - sink: Receives a line for each event.
    /// - Returns: How it went.
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
                report.violation = Violation(invariant: 0, time: time, "nobody caught \(error)")
            }
            report.take(history)
        } catch {
            report.violation = Violation(invariant: 0, "the world could not be made: \(error)")
        }
        return report
    }
}
