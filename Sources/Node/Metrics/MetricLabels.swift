import KairanInterface
import Mailbox
import Peering
package import Session
package import Sync
import Wire

/// A label whose values are a few words that are known beforehand.
///
/// The name of a device, a zone, an account, an admission or a caller is never a label: series would grow without
/// end, and a reader of metrics would learn with which accounts a machine deals.
package protocol MetricLabel: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The name of the label.
    static var name: String { get }
}

/// Labels whose values are bounded by their declarations: the version that runs, the codes of warnings, the
/// interface's routes.
enum MetricLabels {
    static let version = "version"
    static let code = "code"
    static let method = "method"
    static let route = "route"
}

/// Why no series was made.
package enum SeriesRefusal: String, MetricLabel {
    /// There are as many as there may be.
    case full
    /// No ``Metric`` has that name, kind and labels.
    case undeclared

    /// The name of the label.
    package static var name: String { "reason" }
}

extension DaemonStatus.State: MetricLabel {
    /// The name of the label.
    package static var name: String { "state" }
}

extension Relay.State: MetricLabel {
    /// The name of the label.
    package static var name: String { "state" }
}

extension HealthWarning.Severity: MetricLabel {
    /// The name of the label.
    package static var name: String { "severity" }
}

// MARK: Sessions

/// The kind of the peers of a transport's sessions.
package enum SessionKind: String, MetricLabel {
    /// Devices with which zones are synchronised.
    case peers
    /// Relays that the account uses for parcels.
    case relays
    /// The accounts that this machine keeps parcels for.
    case clients

    /// The name of the label.
    package static var name: String { "with" }

    /// The sides that make the connections.
    var sides: [SessionSide] {
        switch self {
        case .peers: [.outgoing, .incoming]
        case .relays: [.outgoing]
        case .clients: [.incoming]
        }
    }
}

/// The side that made a connection.
package enum SessionSide: String, MetricLabel {
    /// This machine.
    case outgoing
    /// The other one.
    case incoming

    /// The name of the label.
    package static var name: String { "side" }
}

/// The reason why a session ended.
package enum SessionEnd: String, MetricLabel {
    /// No fault: one of the two stops, or another session takes over.
    case goodbye
    /// One of the two refused the other one.
    case refused
    /// There was too much for one of the two.
    case busy
    /// No message arrived for too long.
    case silent
    /// One of the two broke the protocol, or reported that the other one did.
    case violation
    /// The connection was cut.
    case cut

    /// The name of the label.
    package static var name: String { "reason" }

    /// The class of a reason.
    /// - Parameter reason: The reason why the channel is over.
    package init(_ reason: CloseReason) {
        switch reason {
        case .peer(let code), .local(let code): self.init(code)
        case .truncated, .endedInHandshake: self = .cut
        case .keysExhausted: self = .goodbye
        case .handshakeFailed, .encapsulationRefused, .ownKey, .notAuthentic, .protocolViolation, .messageTooLong:
            self = .violation
        }
    }

    private init(_ code: CloseCode) {
        switch code {
        case .refused: self = .refused
        case .busy: self = .busy
        case .silent: self = .silent
        case .protocolViolation: self = .violation
        default: self = .goodbye
        }
    }
}

/// The reason why no session was established.
package enum HandshakeFailure: String, MetricLabel {
    /// No peer was reached.
    case unreachable
    /// The other side hung up without a word: it shares no secret, does not speak the version, or refuses.
    case ignored
    /// The other side knows none of the secrets that are good here.
    case unknown
    /// The other side hung up in the middle.
    case abandoned
    /// It took too long.
    case late
    /// A message was malformed.
    case malformed
    /// The other side is this device.
    case ourselves
    /// There was no place for one more of its kind.
    case crowded

    /// The name of the label.
    package static var name: String { "reason" }

    /// The class of a reason.
    /// - Parameter reason: The reason why the channel ended before it was established.
    package init(_ reason: CloseReason) {
        switch reason {
        case .ownKey: self = .ourselves
        case .endedInHandshake(0): self = .ignored
        case .endedInHandshake: self = .abandoned
        default: self = .malformed
        }
    }
}

/// Why a connection was closed before its handshake.
package enum ConnectionRefusal: String, MetricLabel {
    /// Too many handshakes began, from there or in all.
    case handshakes
    /// As many connections of one kind are open as may be.
    case connections

    /// The class of a refusal.
    package init(_ refusal: DoorRefusal) {
        switch refusal {
        case .tooOften: self = .handshakes
        case .full, .tooManyFromAddress: self = .connections
        }
    }

    /// The name of the label.
    package static var name: String { "reason" }
}

extension Anomaly.Kind: MetricLabel {
    /// The name of the label.
    package static var name: String { "kind" }
}

// MARK: Parcels

/// The outcome of taking a parcel.
enum ParcelTaking: String, MetricLabel {
    /// All items in it were handled.
    case done
    /// An item in it could not be handled yet.
    case undone

    static var name: String { "outcome" }
}

/// Why a relay closed a session.
enum RelayEnding: String, MetricLabel {
    /// There are as many as there may be.
    case full
    /// It showed no admission in time.
    case late
    /// No message arrived for too long.
    case silent
    /// More requests came than may wait.
    case flooded
    /// The message was no request.
    case malformed

    static var name: String { "reason" }

    init(_ ending: MailboxRelay.Ending) {
        switch ending {
        case .full: self = .full
        case .late: self = .late
        case .silent: self = .silent
        case .flooded: self = .flooded
        }
    }
}

/// A request to a relay.
enum RelayRequest: String, MetricLabel {
    case enter, give, put, look, fetch, remove, check, claim

    static var name: String { "request" }

    init(_ request: MailboxRequest) {
        switch request {
        case .enter: self = .enter
        case .give: self = .give
        case .put: self = .put
        case .look: self = .look
        case .fetch: self = .fetch
        case .remove: self = .remove
        case .check: self = .check
        case .claim: self = .claim
        }
    }
}

/// An answer of a relay.
enum RelayAnswer: String, MetricLabel {
    case entered, given, stored, listed, fetched, missing, removed, checked, claimed
    /// Refused: no valid admission was shown.
    case notAdmitted = "not_admitted"
    /// Refused: there is no room.
    case full
    /// Refused: the storage does not answer.
    case unavailable
    /// Sent without a request: a parcel has arrived.
    case arrived

    static var name: String { "answer" }

    init(_ reply: MailboxReply) {
        switch reply {
        case .entered: self = .entered
        case .given: self = .given
        case .stored: self = .stored
        case .listed: self = .listed
        case .parcel: self = .fetched
        case .missing: self = .missing
        case .removed: self = .removed
        case .held: self = .checked
        case .claimed: self = .claimed
        case .refused(.notAdmitted): self = .notAdmitted
        case .refused(.full): self = .full
        case .refused(.unavailable): self = .unavailable
        case .arrived: self = .arrived
        }
    }
}

/// An operation of a relay on its storage.
enum RelayOperation: String, MetricLabel {
    case enter, give, put, look, fetch, remove, check, claim
    /// Drops expired parcels.
    case expire

    static var name: String { "operation" }

    init(_ order: MailboxRelay.Order) {
        switch order {
        case .enter: self = .enter
        case .give: self = .give
        case .put: self = .put
        case .look: self = .look
        case .fetch: self = .fetch
        case .remove: self = .remove
        case .check: self = .check
        case .claim: self = .claim
        }
    }
}

// MARK: Requests

/// The class of an answer on the local socket.
enum StatusClass: String, MetricLabel {
    case done = "2xx"
    case elsewhere = "3xx"
    case refused = "4xx"
    case failed = "5xx"

    static var name: String { "status" }

    init(_ status: Int) {
        switch status {
        case ..<300: self = .done
        case ..<400: self = .elsewhere
        case ..<500: self = .refused
        default: self = .failed
        }
    }
}
