package import Wire

/// An action that a subject wants to perform, or has performed.
package enum AccessRequest: Hashable, Sendable {
    /// To be sent a lane of the zone; `sealed` states that its contents open on members' devices only.
    case serve(Lane, sealed: Bool)
    /// To write a record.
    case write(Write)
    /// To rule.
    case administer(AdministrativeAct)

    /// A record to be written.
    package struct Write: Hashable, Sendable {
        /// The record's type.
        package let type: String
        /// The record's name.
        package let name: String
        /// The account that created the record; nil if the record is to be created.
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

/// A kind of control operation that a subject wants to write.
package enum AdministrativeAct: Hashable, Sendable {
    /// To grant rights.
    case grant(Rights)
    /// To end a capability.
    case revoke(Hash)
    /// To give up one's own rights.
    case leave
    /// To state the rights of accounts without a capability.
    case publicAccess
    /// To state the schema of records.
    case schema
    /// To make a new key.
    case epoch
    /// To make the past final.
    case checkpoint
    /// To correct a cut.
    case raiseCut
    /// To hand the zone over, or to offer it.
    case transfer
    /// To answer the offer of a zone.
    case answerTransfer
    /// To end the zone.
    case deleteZone
}

/// The subject of a request.
package enum AccessSubject: Hashable, Sendable {
    /// A device that proved its key, with the account that it claims to belong to.
    case device(DeviceID, of: AccountID)
    /// A subject about which nothing is known.
    case world
    /// An account that was proven in this moment, and of which nothing else is known here.
    case guest(AccountID)
}
