import ArgumentParser
import KairanClient

extension JoinCommand {
    /// Opens one.
    struct JoinOpen: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Open an invitation; the same as without `open`.",
            discussion: """
                Once this account is a participant, the command waits until the zone's rights are known and its records are here, 10 \
                seconds by default. With --timeout it waits for an approval as well.

                EXAMPLES:
                  kairan join open 'kairan://join#…'
                  kairan join 'kairan://join#…' --timeout 300
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: "The link as it was sent, or an offered zone's id, or enough of its beginning.")
        var link: String
        @Flag(help: "Do not wait for the zone's records.")
        var noWait = false
        @Option(help: ArgumentHelp("The time to wait, in seconds.", valueName: "seconds"))
        var timeout: Int?

        /// The default time in seconds to wait for the records.
        private static let usualSeconds = 10

        func validate() throws {
            guard (0...86_400).contains(timeout ?? 0) else { throw ValidationError("--timeout is 0 to 86400 seconds.") }
            guard !noWait || timeout == nil else { throw ValidationError("Give --no-wait or --timeout, not both.") }
        }

        func run(in session: Session) async throws {
            let clock = ContinuousClock()
            var progress = ProgressDisplay(session)
            defer { progress.end() }
            progress.show { _ in "Asking the account that made the invitation …" }
            var document = try await session.client.document(.join(link))
            var join: Join = try DaemonClient.decode(document)
            let end = clock.now + .seconds(noWait ? 0 : timeout ?? Self.usualSeconds)
            while timeout != nil, join.zone == nil, clock.now < end {
                progress.show { _ in "Waiting: \(JoinCommand.waiting(join.state.rawValue)) …" }
                try await Task.sleep(for: .seconds(1))
                document = try await session.client.document(.join(link))
                join = try DaemonClient.decode(document)
            }
            guard let zone = join.zone else {
                progress.end()
                let asked = session.isJSON ? nil : try await AskedJoin(join, client: session.client)
                let style = await session.styleWithAccounts()
                return try session.show(document: document) { (_: Join) in asked?.text(style: style) ?? "" }
            }
            var arrival = try await Arrival(of: zone, join, client: session.client)
            while !arrival.isComplete, clock.now < end {
                progress.show { _ in "Waiting: \(arrival.missingText) …" }
                try await Task.sleep(for: .milliseconds(100))
                arrival = try await Arrival(of: zone, join, client: session.client)
            }
            progress.end()
            try session.show(arrival.json, arrival.text(style: session.style))
        }
    }

    /// The part of a joined zone that is here.
    struct Arrival {
        let id: String
        let join: Join
        /// The zone; `nil` before the daemon has it.
        let zone: Zone?
        /// The operations that connected devices hold and that are not here.
        let missing: UInt64
        /// The operations that are here and wait for others.
        let heldBack: UInt64

        /// Asks the daemon.
        /// - Throws: `KairanError`.
        init(of id: String, _ join: Join, client: DaemonClient) async throws {
            do {
                let zone = try await client.zone(id)
                let work = try await client.pending(zone: id)
                self.init(
                    id: id,
                    join: join,
                    zone: zone,
                    missing: work.pending.reduce(0) { $0 + $1.missing },
                    heldBack: work.heldBack.reduce(0) { $0 + $1.count }
                )
            } catch let error as KairanError where error.code == "zone.unknown" {
                self.init(id: id, join: join, zone: nil, missing: 0, heldBack: 0)
            }
        }

        /// Describes it.
        init(id: String, join: Join, zone: Zone?, missing: UInt64, heldBack: UInt64) {
            (self.id, self.join, self.zone, self.missing, self.heldBack) = (id, join, zone, missing, heldBack)
        }

        /// Whether the rights are known: public access to a zone is not a right of this account.
        private var hasRights: Bool { zone.map { $0.rights != .none || $0.database == .public } ?? false }
        /// Whether arriving records can be read.
        private var hasKey: Bool { join.state != .waitingKey || zone?.epoch != nil }

        /// Whether the rights are known, and everything that one of the zone's devices has is here.
        ///
        /// A device is synchronised once it has reported its operations: all operations that it holds and this device
        /// lacks are then missing.
        var isComplete: Bool {
            let hasMet = zone?.peers.contains(where: \.inSync) ?? false
            return hasRights && hasKey && hasMet && missing == 0 && heldBack == 0
        }

        /// The event that the command waits for.
        var missingText: String {
            guard let zone else { return "the zone is not here yet" }
            if !hasKey { return "the key of \(Table.visible(zone.name)) has not arrived from a device that reads it" }
            if !hasRights { return "the rights in \(Table.visible(zone.name)) are not known yet" }
            guard missing + heldBack > 0 else { return "no device of the zone has reported its records yet" }
            return "\(Words.count(missing + heldBack, "operation is", "operations are")) still missing"
        }

        /// For people.
        func text(style: Style) -> String {
            guard let zone else {
                return
                    "Joined the zone \(style.id(id)). It is not here yet, and arrives without further action. `kairan zone ls` shows it then."
            }
            let name = Table.visible(zone.name)
            let right = Self.sentence(zone.rights).map { ": you may \($0)" } ?? ""
            let begin = "Joined the zone \(name) of \(Table.visible(zone.container))\(right)."
            let count = zone.records
            let here = count == 1 ? "1 record is here" : "\(count) records are here"
            guard !isComplete else { return "\(begin) \(here)." }
            let records = count > 0 ? " \(here) so far." : ""
            return
                "\(begin)\(records) The rest follows without further action: \(missingText). `kairan zone show \(name)` shows the progress."
        }

        /// The answer and the description of the zone, for programs.
        var json: JSONValue {
            [
                "zone": .string(id), "rights": (zone?.rights ?? join.rights).map { .string($0.rawValue) } ?? .null,
                "state": .string(join.state.rawValue), "name": zone.map { .string($0.name) } ?? .null,
                "container": zone.map { .string($0.container) } ?? .null,
                "records": zone.map { .integer(Int64(clamping: $0.records)) } ?? .null, "complete": .bool(isComplete),
            ]
        }

        private static func sentence(_ rights: AccessRights) -> String? {
            switch rights {
            case .read: "read"
            case .append: "read, and add records"
            case .write: "read and write"
            case .admin: "read and write, and set the access of accounts without a right"
            case .relay: "keep its data for others"
            default: nil
            }
        }
    }

    /// An invitation that was opened and waits for another party.
    struct AskedJoin {
        let join: Join
        /// The account that invites; `nil` if several invitations wait and it is unknown which of them this is.
        let account: String?
        /// The names of its devices that are known.
        let devices: [String]
        /// The account that asks.
        let own: String

        /// Asks the daemon.
        /// - Throws: `KairanError`.
        init(_ join: Join, client: DaemonClient) async throws {
            let accounts = Set(
                try await client.joins().filter { $0.state.rawValue == join.state.rawValue }.map(\.account)
            )
            let account = accounts.count == 1 ? accounts.first : nil
            let peers = try await client.peers()
            self.init(
                join: join,
                account: account,
                devices: peers.filter { $0.account == account && !$0.name.isEmpty }.map(\.name),
                own: try await client.account().account
            )
        }

        /// Describes it.
        init(join: Join, account: String?, devices: [String], own: String) {
            (self.join, self.account, self.devices, self.own) = (join, account, devices, own)
        }

        /// Describes, for people, which party has to act, and how to go on.
        func text(style: Style) -> String {
            let whose = account.map { "the account \(style.account($0))" } ?? "the inviting account"
            let names = devices.isEmpty ? "" : " (\(devices.map(Table.visible).joined(separator: ", ")))"
            let goesOn =
                "The daemon keeps asking, and the zone appears after an answer; `kairan join ls` shows the state."
            guard join.state == .waitingApproval else {
                return
                    "Asked. No device of \(whose)\(names) has answered yet: one of them has to be on and within reach. \(goesOn)"
            }
            return
                "Asked. A person of \(whose) has to approve it, on one of its devices\(names): `kairan share approve ZONE \(style.id(own))` there. \(goesOn)"
        }
    }
}
