// What JetStream's interface says and is told, as far as we use it: JSON, with JetStream's names.

/// How a stream is made.
struct StreamConfiguration: Codable, Equatable {
    /// The stream's name.
    var name: String
    /// What it keeps.
    var subjects: [String]
    /// `limits`: nothing goes because it was read.
    var retention = "limits"
    /// `file`, not memory.
    var storage = "file"
    /// On how many servers.
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
    /// When `async`, what is acknowledged may not be on disk.
    var persist_mode: String?
}

/// What the interface answers when it does not do it.
struct APIError: Codable, Equatable {
    /// The number of the reason.
    var err_code: Int?
    /// The reason in words.
    var description: String?
}

/// What is said of a stream.
struct StreamInformation: Codable {
    /// Of its messages.
    struct State: Codable {
        /// The newest one's place.
        var last_seq: UInt64
    }
    /// Of its replicas.
    struct Cluster: Codable {
        /// Of one that follows.
        struct Peer: Codable {
            /// The server's name.
            var name: String
            /// Whether it has everything.
            var current: Bool
            /// Whether nothing was heard of it lately.
            var offline: Bool?
        }
        /// The server that leads.
        var leader: String?
        /// The others.
        var replicas: [Peer]?
    }
    /// How it is made.
    var config: StreamConfiguration?
    /// What it has.
    var state: State?
    /// Where it is.
    var cluster: Cluster?
    /// Why there is no answer.
    var error: APIError?
}

/// What is said of a message that was written, or of several.
struct PublishAcknowledgement: Codable {
    /// The last one's place.
    var seq: UInt64?
    /// Why nothing was written.
    var error: APIError?
}

/// What is to be purged.
struct PurgeRequest: Codable {
    /// Of which subjects.
    var filter: String
    /// Only what is before this place.
    var seq: UInt64?
}

/// What was purged.
struct PurgeResponse: Codable {
    /// How many messages.
    var purged: UInt64?
    /// Why none.
    var error: APIError?
}

/// What is to be read.
struct ReadRequest: Codable {
    /// The last message of each of these subjects.
    var multi_last: [String]?
    /// Those of this subject, from a place on.
    var next_by_subj: String?
    /// The place.
    var seq: UInt64?
    /// How many.
    var batch: Int?
    /// The last message of this subject, of the leader alone.
    var last_by_subj: String?
}

/// What the leader alone says of a message.
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
    /// Why there is none.
    var error: APIError?
}

/// What a server says of the user that asks it.
struct UserInformation: Codable {
    /// Of the server.
    struct Server: Codable {
        /// Its version.
        var ver: String?
    }
    /// The server that answered.
    var server: Server?
}

/// What a server says of its JetStream to who may ask for all servers.
struct ServerInformation: Codable {
    /// Of the server.
    struct Server: Codable {
        /// Its name.
        var name: String?
        /// Its version.
        var ver: String?
        /// Whether it has JetStream.
        var jetstream: Bool?
    }
    /// How its JetStream is set up.
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
    /// What it says.
    var data: Content?
}
