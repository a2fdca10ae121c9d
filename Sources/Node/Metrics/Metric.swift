import KairanInterface
import Sync

/// All metrics: the one place of their names.
///
/// docs/operations/metrics.md describes each; a test holds the two together. Base units are seconds and bytes.
package enum Metric: String, CaseIterable, Sendable {
    case buildInfo = "kairan_build_info"
    case processMemory = "kairan_process_resident_memory_bytes"
    case processSeconds = "kairan_process_cpu_seconds_total"
    case processStart = "kairan_process_start_time_seconds"
    case processDescriptors = "kairan_process_open_fds"
    case processDescriptorsMax = "kairan_process_max_fds"
    case metricsRefused = "kairan_metrics_refused_total"

    case nodeState = "kairan_node_state"
    case healthWarnings = "kairan_health_warnings"
    case storeReadable = "kairan_store_readable"
    case peersConnected = "kairan_peers_connected"
    case zones = "kairan_zones"
    case operationsPending = "kairan_operations_pending"

    case sessionsOpen = "kairan_sessions_open"
    case sessionsOpened = "kairan_sessions_opened_total"
    case sessionsEnded = "kairan_sessions_ended_total"
    case handshakesFailed = "kairan_handshakes_failed_total"
    case connectionsRefused = "kairan_connections_refused_total"
    case bytesSent = "kairan_sent_bytes_total"
    case bytesReceived = "kairan_received_bytes_total"

    case anomalies = "kairan_anomalies_total"

    case operationsWritten = "kairan_operations_written_total"
    case operationsReceived = "kairan_operations_received_total"
    case operationsAcknowledged = "kairan_operations_acknowledged_total"
    case commitSeconds = "kairan_commit_duration_seconds"
    case commitJobs = "kairan_commit_jobs_total"
    case commitFailures = "kairan_commit_failures_total"
    case commitRefusals = "kairan_commit_refusals_total"
    case commitQueue = "kairan_commit_queue_jobs"

    case messagesSent = "kairan_messages_sent_total"
    case messagesReceived = "kairan_messages_received_total"
    case messagesFinished = "kairan_messages_finished_total"
    case inboxMessages = "kairan_inbox_messages"

    case assets = "kairan_assets"
    case assetsHeld = "kairan_assets_held_bytes"
    case assetsWanted = "kairan_assets_wanted_bytes"

    case parcelsLeft = "kairan_parcels_left_total"
    case parcelsTaken = "kairan_parcels_taken_total"
    case parcelsMissing = "kairan_parcels_missing_total"
    case parcelsForeign = "kairan_parcels_foreign_total"
    case parcelsWaiting = "kairan_parcels_waiting"
    case relays = "kairan_relays"

    case relaySessions = "kairan_relay_sessions"
    case relaySessionsEntered = "kairan_relay_sessions_entered"
    case relaySessionsMax = "kairan_relay_sessions_max"
    case relaySessionsClosed = "kairan_relay_sessions_closed_total"
    case relayRequests = "kairan_relay_requests_total"
    case relayAnswers = "kairan_relay_answers_total"
    case relayStorageSeconds = "kairan_relay_storage_duration_seconds"
    case relayStorageFailures = "kairan_relay_storage_failures_total"
    case relayStorageReachable = "kairan_relay_storage_reachable"
    case relayStorageFindings = "kairan_relay_storage_findings"
    case relayParcels = "kairan_relay_stored_parcels"
    case relayBytes = "kairan_relay_stored_bytes"
    case relayRoom = "kairan_relay_room_bytes"
    case relayAdmissions = "kairan_relay_admissions"
    case relayAdmissionsMax = "kairan_relay_admissions_max"
    case relayQuotas = "kairan_relay_quota_bytes"
    case relayFullest = "kairan_relay_fullest_admission_ratio"
    case relayExpired = "kairan_relay_expired_parcels_total"

    case requests = "kairan_api_requests_total"
    case requestSeconds = "kairan_api_request_duration_seconds"
}

extension Metric {
    /// The family of the metric.
    package var family: MetricFamily {
        switch self {
        case .buildInfo: gauge("1, with the version that runs.", MetricLabels.version)
        case .processMemory: gauge("Resident memory of the daemon, in bytes.")
        case .processSeconds: counter("Processor time that the daemon has used, in seconds.")
        case .processStart: gauge("When the daemon started, in seconds since 1970.")
        case .processDescriptors: gauge("File descriptors that the daemon has open.")
        case .processDescriptorsMax: gauge("Limit of the daemon's open file descriptors.")
        case .metricsRefused: counter("Measurements for which there was no series.", SeriesRefusal.name)

        case .nodeState: gauge("1 for the state that the node is in, 0 for the others.", DaemonStatus.State.name)
        case .healthWarnings:
            gauge(
                "1 while a warning is active, 0 once it has ended.",
                MetricLabels.code,
                HealthWarning.Severity.name
            )
        case .storeReadable: gauge("Whether the store answered the last request for metrics: 1 or 0.")
        case .peersConnected: gauge("Devices with an active session.")
        case .zones: gauge("Zones that are not deleted.")
        case .operationsPending:
            gauge("Own operations that at least one of the devices that must hold them has not acknowledged.")

        case .sessionsOpen: gauge("Active sessions.", SessionKind.name)
        case .sessionsOpened: counter("Sessions that were established.", SessionKind.name, SessionSide.name)
        case .sessionsEnded: counter("Sessions that ended, by reason.", SessionKind.name, SessionEnd.name)
        case .handshakesFailed:
            counter(
                "Connections that ended before a session was established, by reason.",
                SessionKind.name,
                SessionSide.name,
                HandshakeFailure.name
            )
        case .connectionsRefused:
            counter("Connections that were closed before their handshake.", SessionKind.name, ConnectionRefusal.name)
        case .bytesSent: counter("Bytes sent on channels, handshakes included.", SessionKind.name)
        case .bytesReceived: counter("Bytes received on channels, handshakes included.", SessionKind.name)

        case .anomalies: counter("Anomalies: data from peers that no honest program sends, by kind.", Anomaly.Kind.name)

        case .operationsWritten: counter("Operations that this device wrote, control operations included.")
        case .operationsReceived: counter("Operations of others that were received and are durable.")
        case .operationsAcknowledged: counter("Operations that a peer acknowledged as durable, for each peer.")
        case .commitSeconds: histogram("Duration of transactions until they were durable.", Self.storageBounds)
        case .commitJobs: counter("Jobs that were given to transactions.")
        case .commitFailures: counter("Transactions that failed.")
        case .commitRefusals: counter("Jobs that were refused because too many waited.")
        case .commitQueue: gauge("Jobs that wait for a transaction.")

        case .messagesSent: counter("Messages that programs sent from here.")
        case .messagesReceived: counter("Messages that were entered for this device.")
        case .messagesFinished: counter("Messages that programs finished here.")
        case .inboxMessages: gauge("Messages that wait for a program; counted up to 1000.")

        case .assets: gauge("Assets of records that are known here, wherever their bytes are.")
        case .assetsHeld: gauge("Bytes of the assets that are here in full.")
        case .assetsWanted: gauge("Bytes of the assets that are being fetched; of up to 10000 payloads.")

        case .parcelsLeft: counter("Parcels that relays acknowledged as durable.")
        case .parcelsTaken: counter("Parcels that were taken from relays, by outcome.", ParcelTaking.name)
        case .parcelsMissing: counter("Parcels that were left and are no longer there; they are left again.")
        case .parcelsForeign: counter("Parcels that differ from those that their sender left.")
        case .parcelsWaiting: gauge("Parcels of this device at relays that were not acknowledged yet.")
        case .relays: gauge("Relays that the account uses, by state.", Relay.State.name)

        case .relaySessions: gauge("Sessions with this relay.")
        case .relaySessionsEntered: gauge("Sessions that have shown an admission.")
        case .relaySessionsMax: gauge("Limit of the relay's sessions.")
        case .relaySessionsClosed: counter("Sessions that this relay closed, by reason.", RelayEnding.name)
        case .relayRequests: counter("Requests to this relay.", RelayRequest.name)
        case .relayAnswers: counter("Answers of this relay.", RelayAnswer.name)
        case .relayStorageSeconds:
            histogram(
                "Duration of operations of the storage of parcels.",
                Self.storageBounds,
                RelayOperation.name
            )
        case .relayStorageFailures: counter("Operations of the storage of parcels that failed.", RelayOperation.name)
        case .relayStorageReachable:
            gauge("Whether the storage of parcels answered the last request for metrics: 1 or 0.")
        case .relayStorageFindings: gauge("Findings by which a cluster may lose parcels sooner than it should.")
        case .relayParcels: gauge("Parcels that are kept.")
        case .relayBytes: gauge("Bytes of parcels that are kept, as they count against quotas.")
        case .relayRoom: gauge("Limit of the bytes of parcels that are kept.")
        case .relayAdmissions: gauge("Admissions, passes among them.")
        case .relayAdmissionsMax: gauge("Limit of the relay's admissions.")
        case .relayQuotas: gauge("Quotas of all admissions together, passes among them, in bytes.")
        case .relayFullest: gauge("Share of its quota that the fullest admission has used, 0 to 1.")
        case .relayExpired: counter("Parcels that were dropped because they had expired.")

        case .requests:
            counter("Requests on the local socket.", MetricLabels.method, MetricLabels.route, StatusClass.name)
        case .requestSeconds:
            histogram(
                "Duration of requests on the local socket until their answer began.",
                Self.requestBounds,
                MetricLabels.method,
                MetricLabels.route
            )
        }
    }

    /// Seconds: from a disk that answers at once to one that is about to be given up.
    private static let storageBounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Seconds; few, since there is a histogram for each route that is used.
    private static let requestBounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

    private func counter(_ help: String, _ labels: String...) -> MetricFamily {
        MetricFamily(name: rawValue, kind: .counter, help: help, labels: labels)
    }

    private func gauge(_ help: String, _ labels: String...) -> MetricFamily {
        MetricFamily(name: rawValue, kind: .gauge, help: help, labels: labels)
    }

    private func histogram(_ help: String, _ bounds: [Double], _ labels: String...) -> MetricFamily {
        MetricFamily(name: rawValue, kind: .histogram(bounds: bounds), help: help, labels: labels)
    }
}
