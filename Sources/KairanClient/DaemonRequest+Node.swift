extension DaemonRequest {
    /// The state of the daemon.
    package static var status: DaemonRequest { DaemonRequest(.get, ["status"]) }
    /// The daemon's counters and measurements.
    package static var metrics: DaemonRequest { DaemonRequest(.get, ["metrics"]) }
    /// The other devices.
    package static var peers: DaemonRequest { peers(pinging: false) }

    /// The other devices, once all that are connected were pinged.
    package static func peers(pinging: Bool) -> DaemonRequest {
        DaemonRequest(.get, ["peers"], query: [("ping", pinging ? "true" : nil)])
    }

    /// The checks of the daemon.
    package static var doctor: DaemonRequest { DaemonRequest(.get, ["doctor"]) }
    /// The checks of the daemon as they are made.
    package static var doctorProgress: DaemonRequest { DaemonRequest(.get, ["doctor", "progress"]) }

    /// The acknowledgement of a warning.
    package static func acknowledge(warning code: String) -> DaemonRequest {
        DaemonRequest(.put, ["health", code, "acknowledgement"])
    }

    /// The end of an acknowledgement.
    package static func withdrawAcknowledgement(of code: String) -> DaemonRequest {
        DaemonRequest(.delete, ["health", code, "acknowledgement"])
    }

    /// The account.
    package static var account: DaemonRequest { DaemonRequest(.get, ["account"]) }
    /// The recovery words.
    package static var recoveryPhrase: DaemonRequest { DaemonRequest(.get, ["account", "recovery-key"]) }
    /// An offer.
    package static func offerPairing(role: String) -> DaemonRequest {
        DaemonRequest(.post, ["pairing", "offers"], body: ["role": .string(role)])
    }

    /// New recovery words in the place of these.
    package static func replaceRecoveryWords(words: [String]) -> DaemonRequest {
        DaemonRequest(.post, ["account", "recovery-key"], body: ["words": .array(words.map { .string($0) })])
    }

    /// The way into the account of these words.
    package static func recoverAccount(words: [String], account: String?) -> DaemonRequest {
        var members = [JSONMember("words", .array(words.map { .string($0) }))]
        if let account { members.append(JSONMember("account", .string(account))) }
        return DaemonRequest(.post, ["account", "recover"], body: .object(members))
    }

    /// An enrolment token.
    package static func makeEnrolmentToken(uses: Int, seconds: Int, role: String) -> DaemonRequest {
        DaemonRequest(
            .post,
            ["account", "enrolment-tokens"],
            body: ["uses": .integer(Int64(uses)), "expires_s": .integer(Int64(seconds)), "role": .string(role)]
        )
    }

    /// The end of all enrolment tokens.
    package static var withdrawEnrolmentTokens: DaemonRequest {
        DaemonRequest(.delete, ["account", "enrolment-tokens"])
    }

    /// The removal of a device.
    package static func removeDevice(_ device: String) -> DaemonRequest {
        DaemonRequest(.delete, ["devices", device])
    }

    /// The removal of a device by the recovery words.
    package static func removeDevice(_ device: String, words: [String]) -> DaemonRequest {
        DaemonRequest(.post, ["devices", device, "removal"], body: ["words": .array(words.map { .string($0) })])
    }

    /// The outcome of an offer.
    package static func awaitPairing(ticket: String, waitMilliseconds: Int) -> DaemonRequest {
        DaemonRequest(.get, ["pairing", "offers", ticket], query: [("wait_ms", "\(waitMilliseconds)")])
    }

    /// The acceptance of an offer.
    package static func acceptPairing(ticket: String) -> DaemonRequest {
        DaemonRequest(.post, ["pairing", "accept"], body: ["ticket": .string(ticket)])
    }
}
