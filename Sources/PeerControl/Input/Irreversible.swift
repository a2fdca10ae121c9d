import KairanClient

/// Something that cannot be undone, and the question whether it is meant (decision 93).
struct Irreversible: Hashable {
    /// The consequences, to how much and on how many machines: whole sentences.
    var effect: String
    /// The text that has to be typed, as the name of the zone.
    var name: String
    /// The clause about the way back.
    var finality = "This cannot be undone"

    /// The question at a terminal.
    var question: String {
        "\(Table.visible(effect))\n\(finality). Type \(Table.visible(name)) to do it; anything else ends here:"
    }

    /// Returns whether an answer confirms the action.
    /// - Parameter answer: The line that was typed; a name is also accepted as the question shows it.
    /// - Returns: `true` for the name alone.
    func isConfirmed(by answer: String) -> Bool {
        let typed = String(answer.prefix { !$0.isNewline })
        return !typed.isEmpty && (typed == name || typed == Table.visible(name))
    }

    /// The refusal for an invocation without a person to ask.
    var refusal: InputError {
        InputError(
            detail: Table.visible(effect)
                + " \(finality), and there is no terminal to ask at: nothing was done.",
            fix: "Add --yes to do it.",
            code: "confirmation.needed",
            title: "Consent is needed",
            exitCode: 64  // EX_USAGE
        )
    }

    /// The refusal of an answer.
    var mismatch: InputError {
        InputError(
            detail: "That is not \(Table.visible(name)), so it was not done.",
            fix: "Run the command again, and type the name as it is shown.",
            code: "confirmation.refused",
            title: "Consent was not given"
        )
    }
}

extension Session {
    /// Whether a person reads questions here and can answer them.
    var canAsk: Bool { !isJSON && Terminal.isInputTerminal && terminal.isErrorTerminal }

    /// Announces an irreversible action and asks for confirmation; no request is sent before.
    /// - Parameters:
    ///   - consent: The consent given on the command line.
    ///   - deed: Looks up the consequences; not called if consent was given.
    /// - Throws: ``InputError`` without consent, and any error of `deed`.
    func confirm(_ consent: ConsentOption, _ deed: () async throws -> Irreversible) async throws {
        guard !consent.isGiven else { return }
        let deed = try await deed()
        guard canAsk else { throw deed.refusal }
        terminal.printError(deed.question)
        var pieces = try InputChunks(path: nil).makeAsyncIterator()
        let answer = String(decoding: try await pieces.next() ?? [], as: UTF8.self)
        guard deed.isConfirmed(by: answer) else { throw deed.mismatch }
    }
}

// The verbs' sentences.
extension Irreversible {
    /// The end of a zone.
    static func deletion(of zone: Zone) -> Irreversible {
        Irreversible(effect: "Deletes \(zone.name) of \(zone.container): \(extent(of: zone)).", name: zone.name)
    }

    /// The transfer of a zone, which the other account has to accept.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - participant: The account that receives it.
    ///   - rights: The rights that this account keeps; `nil` for none.
    /// - Returns: The question.
    static func transfer(of zone: Zone, to participant: Participant, keeping rights: String?) -> Irreversible {
        let devices = participant.devices.map(\.name).joined(separator: ", ")
        let name = participant.accountName.map { Table.visible($0) + ", " } ?? ""
        let account = name + Words.short(participant.account) + (devices.isEmpty ? "" : " (\(devices))")
        let rest = rights.map { "keeps the right: \($0)" } ?? "has no right in it, and no longer has it"
        return Irreversible(
            effect:
                "Offers \(zone.name) of \(zone.container) to \(account): \(extent(of: zone)). Once it accepts, this account \(rest).",
            name: zone.name
        )
    }

    /// The acceptance of a zone that another account offers.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - share: The accounts that take part in it.
    ///   - owner: The present owner, for people.
    ///   - byteCount: The size of its records; `nil` where it is not known.
    /// - Returns: The question.
    static func takeover(of zone: Zone, _ share: Share, from owner: String, byteCount: UInt64?) -> Irreversible {
        let keep = share.transfer?.keep ?? AccessRights.none
        let rest = keep == AccessRights.none ? "which leaves it" : "which keeps the right: \(keep)"
        // The account that takes over is one of them.
        let others = Words.count(max(share.participants.count, 1) - 1, "other account takes", "other accounts take")
        return Irreversible(
            effect: """
                Makes this account the owner of \(zone.name) of \(zone.container), in place of \(owner), \(rest): \
                \(extent(of: zone, byteCount)); \(others) part.
                """,
            name: zone.name
        )
    }

    /// The end of an account's part in a zone.
    static func departure(from zone: Zone) -> Irreversible {
        Irreversible(
            effect: """
                Leaves \(zone.name) of \(zone.container) with all devices of this account: \(extent(of: zone)). The zone is removed \
                from all of them, and the account comes back only if another account admits it again.
                """,
            name: zone.name
        )
    }

    /// The return of a revoked account's writes.
    static func raisedCut(of account: String, in zone: Zone) -> Irreversible {
        Irreversible(
            effect: """
                Makes all writes of \(account) in \(zone.name) under ended rights effective, as far as this device \
                has them: \(extent(of: zone)).
                """,
            name: zone.name
        )
    }

    /// The removal of devices.
    /// - Parameters:
    ///   - removed: The devices to remove.
    ///   - count: The number of devices that the account has.
    ///   - this: This device.
    ///   - zones: All zones that this device has, with the other devices that have them as far as is known here.
    ///   - name: The name to type for confirmation.
    /// - Returns: The question.
    static func removal(
        of removed: [NamedDevice],
        outOf count: Int,
        at this: String?,
        having zones: [Zone],
        name: String
    ) -> Irreversible {
        let names = removed.map { "\($0.name) (\(Words.short($0.device)))" }.joined(separator: ", ")
        let devices = Set(removed.map(\.device))
        let isThis = this.map(devices.contains) ?? false
        let held = zones.filter { zone in isThis || zone.peers.contains { devices.contains($0.device) } }
        let records = Words.count(held.reduce(0) { $0 &+ $1.records }, "record", "records")
        let extent = held.isEmpty ? "no zone" : "\(records) of \(Words.count(held.count, "zone", "zones"))"
        let (has, keeps, writes) =
            removed.count == 1 ? ("It has", "keeps", "it writes") : ("They have", "keep", "they write")
        return Irreversible(
            effect: """
                Removes \(names) from the account, which has \(Words.count(count, "device", "devices")). \(has) \(extent), as far \
                as is known here, and \(keeps) that data; what \(writes) from now on is quarantined.
                """,
            name: name
        )
    }

    /// The replacing of the recovery words.
    static func replacedWords(of account: Account) -> Irreversible {
        let short = Words.short(account.account)
        return Irreversible(
            effect: """
                Replaces the recovery words of the account \(short), which has \
                \(Words.count(account.devices.count, "device", "devices")). The words on paper become invalid: write \
                the new ones down.
                """,
            name: short
        )
    }

    /// The promotion of a schema.
    /// - Parameters:
    ///   - container: The container.
    ///   - check: The differences to what is in force.
    ///   - zones: All zones, with the devices that have them as far as is known here.
    /// - Returns: The question.
    static func promotion(in container: ContainerSummary, _ check: SchemaCheck, _ zones: [Zone]) -> Irreversible {
        let peers = zones.filter { $0.container == container.container }.flatMap(\.peers).map(\.device)
        // This machine is none of the zones' peers.
        let machines = Words.count(Set(peers).count + 1, "machine", "machines")
        let changes = Words.count(check.differences.count, "change", "changes")
        let refused = check.differences.count { $0.refused }
        let count = Words.count(container.zones, "zone", "zones")
        let records = Words.count(container.records, "record", "records")
        return Irreversible(
            effect: """
                Puts the schema of \(container.container) into force on all machines that have one of its zones, \
                \(machines) as far as is known here: \(changes)\
                \(refused > 0 ? ", of which \(refused) cannot be made" : ""); \(count) with \(records) here. Writes that break it \
                are refused from now on, and nothing can be removed from it.
                """,
            name: container.container
        )
    }

    /// The dropping of a quarantined write.
    static func purge(of write: QuarantinedWrite) -> Irreversible {
        let kind = write.isDeletion ? "the deletion of" : "the write to"
        return Irreversible(
            effect: """
                Drops \(kind) \(write.record) (\(write.type), \(Words.size(write.size))) by the device \
                \(Words.short(write.author)), on this machine alone.
                """,
            name: write.record
        )
    }

    /// The end of an admission.
    static func dismissal(of admission: Admission) -> Irreversible {
        let parcels = Words.count(admission.parcels, "parcel", "parcels")
        return Irreversible(
            effect: """
                Deletes the \(parcels) (\(Words.size(admission.storedBytes))) that this machine keeps for \(admission.name), and \
                ends the admission.
                """,
            name: admission.name
        )
    }

    /// How much a zone is, with its size if that is known, and where.
    private static func extent(of zone: Zone, _ byteCount: UInt64? = nil) -> String {
        let size = byteCount.map { " (\(Words.size(Int(clamping: $0))))" } ?? ""
        // This machine is none of the zone's peers.
        let machines = Words.count(zone.peers.count + 1, "machine", "machines")
        return "\(Words.count(zone.records, "record", "records"))\(size) on \(machines)"
    }
}
