package import Wire

/// Something that somebody wants to be done, or has done.
package enum AccessRequest: Hashable, Sendable {
    /// To be sent a lane of the zone; `sealed` says that what is sent opens on members' devices only.
    case serve(Lane, sealed: Bool)
    /// That we take a part of a log.
    case accept(IncomingLog, Delivery)
    /// To write a record.
    case write(RecordWrite)
    /// To leave something for others on a relay.
    case relayDeposit
    /// To fetch from a relay what others left.
    case relayFetch
    /// To be sent the bytes of an asset to which records of the zone refer.
    case assetBytes
    /// To rule.
    case administer(AdministrativeAct)
    /// To read what an application has in a container, through the local socket.
    case localRead(container: String)
    /// To change it.
    case localWrite(container: String)

    /// A part of a log.
    package struct IncomingLog: Hashable, Sendable {
        /// Which log.
        package let log: ActorLane
        /// The device that signs its heads.
        package let device: DeviceID
        /// The capability that its heads name.
        package let right: Hash
        /// The size up to which it is offered.
        package let size: UInt64

        /// Describes a part of a log.
        /// - Parameters: as the properties of the same names.
        package init(log: ActorLane, device: DeviceID, right: Hash, size: UInt64) {
            self.log = log
            self.device = device
            self.right = right
            self.size = size
        }
    }

    /// From whom a part of a log comes.
    package enum Delivery: Hashable, Sendable {
        /// From the device that wrote it: its capability's time of validity matters.
        case direct
        /// From another member: what counts, counts whatever our clock says.
        case relayed
    }

    /// A record to be written.
    package struct RecordWrite: Hashable, Sendable {
        /// The record's type.
        package let type: String
        /// The record's name.
        package let name: String
        /// Who made the record; nil if it is to be made.
        package let creator: AccountID?

        /// Describes a write.
        /// - Parameters: as the properties of the same names.
        package init(type: String, name: String, creator: AccountID?) {
            self.type = type
            self.name = name
            self.creator = creator
        }
    }
}

/// A kind of control operation that somebody wants to write.
package enum AdministrativeAct: Hashable, Sendable {
    /// To hand on rights.
    case grant(Rights)
    /// To end a capability.
    case revoke(Hash)
    /// To give up one's own rights.
    case leave
    /// To say what those may do who hold no right.
    case publicAccess
    /// To say what records look like.
    case schema
    /// To make a new key.
    case epoch
    /// To make the past final.
    case checkpoint
    /// To correct a cut.
    case raiseCut
    /// To hand the zone over.
    case transfer
    /// To end the zone.
    case deleteZone
}

/// Who wants something.
package enum AccessSubject: Hashable, Sendable {
    /// A device that proved its key, with the account that it says it belongs to.
    case device(DeviceID, of: AccountID)
    /// Somebody of whom nothing is known.
    case world
    /// An account that was proven in this moment, and of which nothing else is known here.
    case guest(AccountID)
    /// A program on this machine, with what it was granted.
    case application([ContainerGrant])

    /// What a program on this machine may do in a container.
    package struct ContainerGrant: Hashable, Sendable {
        /// The container.
        package let container: String
        /// Whether it may change something there.
        package let mayWrite: Bool

        /// Grants a container.
        /// - Parameters: as the properties of the same names.
        package init(container: String, mayWrite: Bool) {
            self.container = container
            self.mayWrite = mayWrite
        }
    }
}
