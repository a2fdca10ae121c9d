// The part of JetStream's interface that we use: JSON, with JetStream's names.

/// The configuration of a stream.
struct StreamConfiguration: Codable, Equatable {
    /// The stream's name.
    var name: String
    /// The subjects of its messages.
    var subjects: [String]
    /// `limits`: no message is removed because it was read.
    var retention = "limits"
    /// `file`, not memory.
    var storage = "file"
    /// The number of servers that hold it.
    var num_replicas: Int
    /// One message on each subject.
    var max_msgs_per_subject: Int64 = 1
    /// When there is no room, new ones are refused and none is dropped.
    var discard = "new"
    /// Every replica may answer.
    var allow_direct = true
    /// Several messages are written all or none.
    var allow_atomic: Bool? = true
    /// Messages in all; -1 for no limit.
    var max_msgs: Int64 = -1
    /// Bytes in all; -1 for no limit.
    var max_bytes: Int64 = -1
    /// Nanoseconds after which a message goes; 0 for never.
    var max_age: Int64 = 0
    /// When `async`, acknowledged messages may not be on disk.
    var persist_mode: String?
}

/// The answer to a refused request.
struct APIError: Codable, Equatable {
    /// The number of the reason.
    var err_code: Int?
    /// The reason in words.
    var description: String?
}

/// The state of a stream.
struct StreamInformation: Codable {
    /// The state of its messages.
    struct State: Codable {
        /// The place of the newest one.
        var last_seq: UInt64
    }
    /// The state of its replicas.
    struct Cluster: Codable {
        /// The state of a replica that follows.
        struct Peer: Codable {
            /// The server's name.
            var name: String
            /// Whether it has everything.
            var current: Bool
            /// Whether it has not been heard from lately.
            var offline: Bool?
        }
        /// The server that leads.
        var leader: String?
        /// The others.
        var replicas: [Peer]?
    }
    /// The stream's configuration.
    var config: StreamConfiguration?
    /// The state of its messages.
    var state: State?
    /// The state of its replicas.
    var cluster: Cluster?
    /// The reason why there is no answer.
    var error: APIError?
}

/// The acknowledgement of a written message, or of several.
struct PublishAcknowledgement: Codable {
    /// The place of the last one.
    var seq: UInt64?
    /// The reason why nothing was written.
    var error: APIError?
}

/// A request to purge messages.
struct PurgeRequest: Codable {
    /// The subjects of the messages, as a filter.
    var filter: String
    /// Limits the purge to messages before this place.
    var seq: UInt64?
}

/// The answer to a purge.
struct PurgeResponse: Codable {
    /// The number of purged messages.
    var purged: UInt64?
    /// The reason why none were.
    var error: APIError?
}

/// A request to read messages.
struct ReadRequest: Codable {
    /// Asks for the last message of each of these subjects.
    var multi_last: [String]?
    /// Asks for the messages of this subject, from a place on.
    var next_by_subj: String?
    /// The place.
    var seq: UInt64?
    /// The maximum number of messages.
    var batch: Int?
    /// Asks the leader alone for the last message of this subject.
    var last_by_subj: String?
}

/// The leader's answer about a message.
struct LeaderMessage: Codable {
    /// A stored message.
    struct Stored: Codable {
        /// Its place.
        var seq: UInt64
        /// Its content, in base64.
        var data: String?
    }
    /// The message.
    var message: Stored?
    /// The reason why there is none.
    var error: APIError?
}

/// A server's answer about the user that asks it.
struct UserInformation: Codable {
    /// The description of a server.
    struct Server: Codable {
        /// Its version.
        var ver: String?
    }
    /// The server that answered.
    var server: Server?
}

/// A server's answer about its JetStream, for a user that may ask all servers.
struct ServerInformation: Codable {
    /// The description of a server.
    struct Server: Codable {
        /// Its name.
        var name: String?
        /// Its version.
        var ver: String?
        /// Whether it has JetStream.
        var jetstream: Bool?
    }
    /// The setup of a server's JetStream.
    struct Content: Codable {
        /// The settings.
        struct Settings: Codable {
            /// Whether each write is on disk before it is acknowledged.
            var sync_always: Bool?
        }
        /// The settings.
        var config: Settings?
    }
    /// The server that answered.
    var server: Server?
    /// The setup of its JetStream.
    var data: Content?
}
