import Records
import Sodium
package import Wire

/// Lets an account leave and take parcels on a relay.
///
/// It is a bearer's right: any device that shows its secret is admitted. So a relay need not know accounts' logs, nor
/// learn which device it is.
package struct Admission: Hashable, Sendable {
    /// The hash of the secret.
    package var id: AdmissionID
    /// The holder for whom it was made, in the words of the relay's owner.
    package var name: String
    /// The maximum number of bytes of parcels kept under it.
    package var quota: UInt64
    /// The time at which it was made, in milliseconds since 1970.
    package var since: UInt64
    /// The giver and the end of a pass; `nil` for an admission that the relay's owner made.
    package var pass: Pass?

    /// The properties of a pass: an admission that an admitted account gave to accounts that share a zone with it.
    package struct Pass: Hashable, Sendable {
        /// The admission under which it was given; it ends with it.
        package var giver: AdmissionID
        /// The end of its validity, in milliseconds since 1970, unless it is given again.
        package var until: UInt64

        /// Makes the properties of a pass.
        /// - Parameters: as the properties of the same names.
        package init(giver: AdmissionID, until: UInt64) {
            self.giver = giver
            self.until = until
        }
    }

    /// Makes an admission.
    /// - Parameters: as the properties of the same names.
    package init(id: AdmissionID, name: String, quota: UInt64, since: UInt64, pass: Pass? = nil) {
        self.id = id
        self.name = name
        self.quota = quota
        self.since = since
        self.pass = pass
    }

    /// Makes a pass under an admission that the relay's owner made.
    ///
    /// Parcels kept under it do not take room from the admission: other accounts' parcels take none of an account's
    /// own.
    /// - Parameters:
    ///   - id: The hash of its secret.
    ///   - giver: The admission.
    ///   - now: Milliseconds since 1970.
    ///   - until: The end of its validity, in milliseconds since 1970.
    package init(pass id: AdmissionID, under giver: Admission, at now: UInt64, until: UInt64) {
        self.init(
            id: id,
            name: "",
            quota: giver.quota / Self.passShare,
            since: now,
            pass: Pass(giver: giver.id, until: until)
        )
    }

    /// The part of an admission's quota that a pass under it has: 16 stands for a sixteenth.
    package static let passShare: UInt64 = 16

    /// The usual number of bytes that are kept under an admission: 1 GiB.
    package static let usualQuota: UInt64 = 1 << 30

    /// The maximum number of admissions of a relay, including passes.
    package static let countMax = 10_000

    /// Bytes of a name at most.
    package static let nameByteCountMax = 255
}

extension AdmissionID {
    /// The admission that a secret belongs to.
    ///
    /// The secret is not found from its id.
    /// - Parameter secret: The secret that is shown.
    package init(secret: [UInt8]) {
        self.init(digesting: .admissionID, secret)
    }
}

/// An admission and the bytes that are kept under it.
package struct AdmissionUsage: Hashable, Sendable {
    /// The admission.
    package var admission: Admission
    /// The bytes that its parcels and slots take of its quota.
    package var byteCount: UInt64
    /// The number of parcels.
    package var parcelCount: UInt64

    /// Makes a usage.
    /// - Parameters: as the properties of the same names.
    package init(admission: Admission, byteCount: UInt64, parcelCount: UInt64) {
        self.admission = admission
        self.byteCount = byteCount
        self.parcelCount = parcelCount
    }
}
