import ArgumentParser
import FoundationEssentials
import KairanClient

extension AssetCommand {
    /// Shows and sets a policy.
    struct AssetPolicy: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "policy",
            abstract: "Show or set which assets of a zone this device fetches by itself, and whether relays keep them.",
            discussion: """
                never: none, not even on request. on-demand: those that are read or requested. A size, such as 10M: those up to it, \
                and larger ones on request; K, M and G are 1,024 of the unit before. always: all. default: the policy of zones \
                without one of their own. Each device has policies of its own.

                The relays of the account keep the contents that are on this device, sealed, so that other devices get them while \
                this one is off. --no-relays ends that for the zone, and --relays begins it again; it stays with every policy.

                EXAMPLES:
                  kairan asset policy holiday
                  kairan asset policy holiday on-demand
                  kairan asset policy holiday 10M --no-relays
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .zone, completion: .zones)
        var zone: String
        @Argument(
            help: "The policy: never, on-demand, always, a size, or default; without one, the present one is shown.",
            completion: .list(AssetPolicyOption.words)
        )
        var policy: AssetPolicyOption?
        @Flag(
            inversion: .prefixedNo,
            help: "Have the relays of the account keep the contents that are here, or not; left out, it stays as it is."
        )
        var relays: Bool?

        func run(in session: Session) async throws {
            if let relays, let policy, policy.policy == nil {
                // The default is no policy to be set beside it.
                _ = try await session.client.document(AssetRequests.setKeptAtRelays(relays, of: zone))
            }
            try await session.show(request, as: AssetPolicySetting.self) { AssetText.policy($0, of: zone) }
        }

        private var request: DaemonRequest {
            guard let policy else {
                return relays.map { AssetRequests.setKeptAtRelays($0, of: zone) } ?? AssetRequests.policy(of: zone)
            }
            guard let relays, let choice = policy.policy else {
                return AssetRequests.setPolicy(policy.policy, of: zone)
            }
            return AssetRequests.setKeptAtRelays(relays, and: choice, of: zone)
        }
    }

    /// Explains the state of one.
    struct AssetWhy: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "why",
            abstract: "Explain the state of an asset on this device.",
            discussion: """
                The command shows the records that name the asset, the reasons for its state, and the next step; and the connected \
                devices, which are asked now, with their answers whether they have the content. `kairan asset ls` shows the ids of assets.

                EXAMPLE:
                  kairan asset why mfzwizlt
                """
        )

        @OptionGroup var global: GlobalOptions
        @Argument(help: .asset)
        var asset: String

        func run(in session: Session) async throws {
            let id = try await AssetCommand.id(asset, session)
            let request = AssetRequests.explanation(of: id, asksHolders: true)
            let document = try await session.client.document(request)
            let style = await session.styleWithNames()
            try session.show(document: document) { AssetText.explanation($0, style: style) }
        }
    }

    /// Drops those that no record names.
    struct AssetCollect: ControlCommand {
        static let configuration = CommandConfiguration(
            commandName: "gc",
            abstract: "Drop the assets on this device that no record has named for seven days.",
            discussion: """
                The device does the same by itself from time to time. Content is kept for seven days because a record that comes \
                late may name it; --dry-run lists all content without a record, with the end of its time. The command says how \
                much it drops, and asks; --yes takes the place of the answer. Other devices keep their copies.

                EXAMPLES:
                  kairan asset gc --dry-run
                  kairan asset gc
                """
        )

        @OptionGroup var global: GlobalOptions
        @Flag(help: "List them, and drop none.")
        var dryRun = false
        @OptionGroup var consent: ConsentOption

        func validate() throws {
            guard !dryRun || !consent.isGiven else {
                throw ValidationError("--yes and --dry-run exclude each other.")
            }
        }

        func run(in session: Session) async throws {
            if !consent.isGiven {
                let document = try await session.client.document(AssetRequests.collect(dryRun: true))
                let found: AssetCollection = try DaemonClient.decode(document)
                let due = found.due(at: Date())
                guard !dryRun, !due.isEmpty else {
                    try session.show(document: document) { AssetText.collection($0, style: session.style) }
                    return
                }
                try await session.confirm(consent) { .collection(of: due) }
            }
            try await session.show(AssetRequests.collect(dryRun: false), as: AssetCollection.self) {
                AssetText.dropped($0)
            }
        }
    }
}
