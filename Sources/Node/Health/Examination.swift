import KairanInterface
import Wire

/// The facts that the doctor's checks go by.
struct Examination: Sendable {
    /// The neighbourhood as mDNS shows it.
    struct Neighbourhood: Sendable {
        /// Whether the node uses mDNS.
        var isUsed = true
        /// The interfaces that are used and those that are not; nil before the driver has named them.
        var interfaces: DiscoveryInterfaces?
        /// The names of connected devices that are not in sight, though no address of theirs is configured.
        var unsighted: [String] = []
    }

    /// The answer of a device to the question whether it can connect to this one.
    struct Reach: Sendable {
        /// The outcome of its attempt.
        let outcome: ReachOutcome
        /// The age of the answer, in milliseconds.
        let ageMilliseconds: UInt64

        init(_ outcome: ReachOutcome, ageMilliseconds: UInt64 = 0) {
            (self.outcome, self.ageMilliseconds) = (outcome, ageMilliseconds)
        }
    }

    /// The account of this device, whose devices are believed.
    let account: AccountID
    /// The machine and the process.
    var machine = MachineFacts()
    /// The damage in the pages of the database; nil where it cannot be read.
    var storeFindings: [String]? = []
    /// The files with the contents of messages and assets; nil where they cannot be looked at.
    var contents: PayloadFindings? = PayloadFindings()
    /// The warnings for people.
    var warnings: [HealthWarning] = []
    /// The other devices.
    var peers: [PeerStatus] = []
    /// The program that runs here.
    var program = ProgramNote(version: Node.version)
    /// The neighbourhood.
    var neighbourhood = Neighbourhood()
    /// The port on which the node listens; nil where it does not.
    var port: UInt16?
    /// Whether connected devices can connect to this one, as far as they have reported it.
    var reach: [DeviceID: Reach] = [:]
    /// The relays in use.
    var relays: [RelayStatus] = []
    /// The operations on their way.
    var pending: [PendingReport.Entry] = []

    /// Nothing is known yet.
    /// - Parameter account: The account of this device.
    init(account: AccountID) { self.account = account }

    /// The time for which operations may be on their way to a connected device, in milliseconds.
    static let longestMilliseconds: UInt64 = 3_600_000
    /// The disk is short of room with less than this.
    static let leastFreeByteCount: UInt64 = 512 << 20

    /// One check: the warnings that are its findings, and a look of its own where none of them is raised.
    private struct Check {
        let code: String
        let warnings: Set<String>
        let look: (Examination) -> CheckOutcome

        init(_ code: String, finding warnings: Set<String> = [], look: @escaping (Examination, String) -> CheckOutcome)
        {
            (self.code, self.warnings) = (code, warnings)
            self.look = { look($0, code) }
        }

        /// A check without a look of its own.
        init(_ code: String, finding warnings: Set<String>, good: String) {
            self.init(code, finding: warnings) { CheckOutcome(good: $1, good) }
        }
    }

    private static var all: [Check] {
        [
            Check("service.confinement") { $0.service($1) },
            Check("storage.room", finding: ["storage.disk_full", "storage.displaced"]) { $0.room($1) },
            Check("storage.integrity", finding: ["storage.damaged"]) { $0.integrity($1) },
            Check("storage.contents", finding: ["storage.payloads_missing"]) { $0.contentFiles($1) },
            Check(
                "storage.history",
                finding: ["store.recovering", "store.older"],
                good: "The store is as new as the sentinel of this device."
            ),
            Check("keys.sealed", finding: ["keys.unsealed"], good: "The keys of this device are sealed."),
            Check(
                "account.standing",
                finding: ["account.removed", "account.not_settled"],
                good: "This device is in its account."
            ),
            Check(
                "applications.bound",
                finding: ["application.disabled"],
                good: "No application is disabled by a mistake in its file."
            ),
            Check("port.listening") { $0.listening($1) },
            Check("port.reachable") { $0.reachableHere($1) },
            Check("mdns.working", finding: ["mdns.unavailable"]) { $0.mdns($1) },
            Check("mdns.interfaces", finding: ["mdns.no_interface", "mdns.interfaces_left_out"]) { $0.interfaces($1) },
            Check("mdns.multicast") { $0.multicast($1) },
            Check("peers.reachable", finding: ["peer.unreachable"]) { $0.reachable($1) },
            Check("peers.versions", finding: ["channel.downgraded"]) { $0.versions($1) },
            Check("peers.program") { $0.programs($1) },
            Check("clock.agreement", finding: ["clock.ahead", "clock.behind", "clock.was_ahead"]) { $0.clock($1) },
            Check("descriptors.room", finding: ["descriptors.exhausted"]) { $0.descriptors($1) },
            Check("pending.moving") { $0.moving($1) },
            Check(
                "epochs.current",
                finding: ["keys.missing", "devices.without_key"],
                good: "Each zone in which this account may write has a key for all of its devices."
            ),
            Check("relays.room", finding: ["relay.storage_unsafe"]) { $0.relayRoom($1) },
        ]
    }

    /// All checks, in the order in which they are shown; then the warnings that are no check's finding.
    var checks: [CheckOutcome] {
        var rest = warnings
        let checks = Self.all.map { check in
            guard let index = rest.firstIndex(where: { check.warnings.contains($0.code) }) else {
                return check.look(self)
            }
            return CheckOutcome(check.code, rest.remove(at: index))
        }
        return checks + rest.map { CheckOutcome($0.code, $0) }
    }

    // MARK: This machine

    private func service(_ code: String) -> CheckOutcome {
        switch machine.confinement {
        case .byHand: CheckOutcome(good: code, "The daemon was started by hand, outside of a service's confinement.")
        case .service(gainsNoPrivileges: true, filtersCalls: true):
            CheckOutcome(
                good: code,
                "The service is confined: it gains no privileges, and its system calls are filtered."
            )
        case .service(let gainsNone, let filters):
            CheckOutcome(
                code,
                .warning,
                "The service is not confined as its unit requires: "
                    + [
                        gainsNone ? nil : "it could gain privileges",
                        filters ? nil : "its system calls are not filtered",
                    ]
                    .compactMap(\.self).joined(separator: ", ") + ".",
                fix:
                    "Look at `systemctl cat kairand` for a drop-in that switches NoNewPrivileges= or SystemCallFilter= off."
            )
        case nil: CheckOutcome(good: code, "The kernel does not report the confinement of the daemon.")
        }
    }

    private func room(_ code: String) -> CheckOutcome {
        guard let free = machine.freeByteCount, let all = machine.byteCount, all > 0 else {
            return CheckOutcome(good: code, "The state directory's file system does not report its free space.")
        }
        let share = free / (all / 100 + 1)
        let words = "\(Self.size(free)) of \(Self.size(all)) are free for the state directory."
        guard free < Self.leastFreeByteCount || share < 3 else { return CheckOutcome(good: code, words) }
        return CheckOutcome(
            code,
            .warning,
            words,
            fix: "Make space on the state directory's file system: without free space writes are refused."
        )
    }

    private func integrity(_ code: String) -> CheckOutcome {
        guard let storeFindings else {
            return CheckOutcome(
                code,
                .critical,
                "The database cannot be read.",
                fix: "Look at the log, `journalctl --unit kairand`, for the reason; keep the files."
            )
        }
        guard let first = storeFindings.first else {
            return CheckOutcome(good: code, "Each page of the database is sound.")
        }
        return CheckOutcome(
            code,
            .critical,
            "The database is damaged: \(first)\(storeFindings.count > 1 ? ", and \(storeFindings.count - 1) more" : "").",
            fix: "Stop the daemon, keep the files, and restore them or fetch everything from another device."
        )
    }

    private func contentFiles(_ code: String) -> CheckOutcome {
        guard let contents else {
            return CheckOutcome(
                code,
                .warning,
                "The files with the contents of messages and assets cannot be looked at.",
                fix: "Look at the log, `journalctl --unit kairand`, for the reason; keep the files."
            )
        }
        guard contents.damagedCount > 0 else {
            return CheckOutcome(
                good: code,
                "Each of \(contents.fileCount) files with contents of messages and assets is as long as it should be."
            )
        }
        return CheckOutcome(
            code,
            .warning,
            "\(contents.damagedCount) of \(contents.fileCount) files with contents of messages and assets are missing or"
                + " too short.",
            fix:
                "Look at the disk. The lost parts are fetched again from devices that have them; or put the files of"
                + " store/payloads back from a copy."
        )
    }

    private func descriptors(_ code: String) -> CheckOutcome {
        guard let used = machine.descriptorCount, let limit = machine.descriptorLimit, limit > 0 else {
            return CheckOutcome(good: code, "The kernel does not report the number of descriptors in use.")
        }
        let words = "\(used) of \(limit) descriptors are in use."
        guard used > limit / 5 * 4 else { return CheckOutcome(good: code, words) }
        return CheckOutcome(
            code,
            .warning,
            words,
            fix: "Close programs that hold connections, or raise the limit of the service (LimitNOFILE=)."
        )
    }

    // MARK: The network

    private func listening(_ code: String) -> CheckOutcome {
        guard let port else {
            return CheckOutcome(
                code,
                .warning,
                "The daemon does not listen, so other devices cannot connect to it.",
                fix: "Name an address in `listen:`, or leave it out; the log names the one that cannot be used."
            )
        }
        return CheckOutcome(good: code, "The daemon listens on TCP port \(port).")
    }

    private func mdns(_ code: String) -> CheckOutcome {
        neighbourhood.isUsed
            ? CheckOutcome(good: code, "Avahi answers.")
            : CheckOutcome(
                good: code,
                "mDNS is switched off; devices are reached by configured and last known addresses."
            )
    }

    private func interfaces(_ code: String) -> CheckOutcome {
        guard neighbourhood.isUsed else {
            return CheckOutcome(good: code, "mDNS is switched off, and uses no interface.")
        }
        guard let interfaces = neighbourhood.interfaces else {
            return CheckOutcome(good: code, "mDNS uses no interface yet.")
        }
        let used = interfaces.used.isEmpty ? "no interface" : interfaces.used.joined(separator: ", ")
        let others = interfaces.leftAlone.map { ". \($0.description)" }.joined()
        return CheckOutcome(good: code, "mDNS uses \(used)\(others).")
    }

    private func multicast(_ code: String) -> CheckOutcome {
        guard neighbourhood.isUsed, !neighbourhood.unsighted.isEmpty else {
            return CheckOutcome(
                good: code,
                "Each connected device is in sight through mDNS, or has a configured address."
            )
        }
        let names = neighbourhood.unsighted.joined(separator: ", ")
        return CheckOutcome(
            code,
            .info,
            "Connected, and not in sight through mDNS: \(names). Either it is on another network, or multicast does not get through.",
            fix:
                "On one network, open UDP port 5353 on both machines, and look for a setting of the access point such as "
                + "client isolation or multicast filtering. On two, name the address: `peers: [HOST:PORT]`."
        )
    }

    private func reachable(_ code: String) -> CheckOutcome {
        let others = peers.count
        guard others > 0 else {
            return CheckOutcome(good: code, "There is no other device yet; `kairan pair offer` adds one.")
        }
        let connected = peers.count { $0.state == .connected }
        return CheckOutcome(good: code, "\(connected) of \(others) other devices are connected; no other is in sight.")
    }

    private func versions(_ code: String) -> CheckOutcome {
        let old = peers.filter { $0.channelVersion.map { !$0.isPostQuantum } ?? false }.map(\.name)
        guard !old.isEmpty else {
            return CheckOutcome(good: code, "All connected devices speak the present version of the channel.")
        }
        return CheckOutcome(
            code,
            .info,
            "Sessions with \(old.joined(separator: ", ")) use an older version of the channel.",
            fix: "Update kairand there."
        )
    }

    private func clock(_ code: String) -> CheckOutcome {
        let skews = peers.compactMap(\.skewMilliseconds).map(\.magnitude)
        guard let most = skews.max() else {
            return CheckOutcome(good: code, "No other clock is known to compare with.")
        }
        return CheckOutcome(good: code, "The clock is within \(most / 1_000 + 1) s of those of all connected devices.")
    }

    // MARK: Work

    private func moving(_ code: String) -> CheckOutcome {
        let stuck = pending.filter { entry in
            entry.state == .connected && entry.ageMilliseconds ?? 0 > Self.longestMilliseconds
        }
        guard let first = stuck.first else {
            let count = pending.reduce(UInt64(0)) { $0 + $1.count }
            let words =
                count == 0
                ? "Nothing waits." : "\(count) operations wait for devices, none for long at one that is connected."
            return CheckOutcome(good: code, words)
        }
        let name = first.deviceName.isEmpty ? first.device.shortText : first.deviceName
        return CheckOutcome(
            code,
            .warning,
            "Operations in \(first.name) wait for \(name), which is connected, for more than an hour.",
            fix: "`kairan pending` has the reason; the log of that machine may have another."
        )
    }

    private func relayRoom(_ code: String) -> CheckOutcome {
        guard !relays.isEmpty else { return CheckOutcome(good: code, "No relay is used.") }
        for relay in relays {
            let name = relay.addresses.first ?? relay.relay.shortText
            switch relay.state {
            case .full:
                return CheckOutcome(
                    code,
                    .warning,
                    "The relay at \(name) has no room for more.",
                    fix:
                        "Raise the quota there with `kairan relay admit`, or connect the devices that have not fetched their parcels."
                )
            case .unreachable:
                return CheckOutcome(
                    code,
                    .warning,
                    "The relay at \(name) does not answer.",
                    fix:
                        "Check `systemctl status kairand` there, and whether a firewall blocks its port; or run `kairan relay forget`."
                )
            case .refused:
                return CheckOutcome(
                    code,
                    .warning,
                    "The relay at \(name) no longer admits this account.",
                    fix:
                        "Ask the relay's owner for another link, then `kairan relay use LINK`; or run `kairan relay forget`."
                )
            case .connecting, .connected: break
            }
            if let used = relay.storedByteCount, let quota = relay.quotaByteCount, quota > 0, used / 9 >= quota / 10 {
                return CheckOutcome(
                    code,
                    .warning,
                    "The relay at \(name) keeps \(Self.size(used)) of at most \(Self.size(quota)).",
                    fix: "Connect the devices that have not fetched their parcels, or raise the quota there."
                )
            }
        }
        return CheckOutcome(
            good: code,
            relays.count == 1 ? "The relay has room." : "All \(relays.count) relays have room."
        )
    }

    /// A size for people, in the largest unit of which there is one.
    private static func size(_ count: UInt64) -> String {
        let units: [(name: String, shift: UInt64)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
        for unit in units where count >> unit.shift > 0 { return "\(count >> unit.shift) \(unit.name)" }
        return "\(count) bytes"
    }
}
