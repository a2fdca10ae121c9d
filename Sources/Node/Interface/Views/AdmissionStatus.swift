package import Wire

/// An account that this machine keeps parcels for.
package struct AdmissionStatus: Sendable, Hashable {
    /// The id of the admission.
    package var admission: AdmissionID
    /// The name of the admitted account, in the owner's words.
    package var name: String
    /// Bytes of the parcels kept under the admission.
    package var storedByteCount: UInt64
    /// The most bytes that the relay keeps under the admission.
    package var quotaByteCount: UInt64
    /// The number of parcels kept.
    package var parcelCount: UInt64
    /// The number of passes that the account has given to accounts with which it shares zones.
    package var passCount: UInt64
    /// Bytes kept under the passes, which are not part of the admission's quota.
    package var passByteCount: UInt64
    /// The storage of the parcels: `sqlite` or `jetstream`.
    package var backend: String
    /// The time of the admission, in milliseconds since 1970.
    package var sinceMilliseconds: UInt64

    /// Makes a status.
    /// - Parameters: as the properties of the same names.
    package init(
        admission: AdmissionID,
        name: String,
        storedByteCount: UInt64,
        quotaByteCount: UInt64,
        parcelCount: UInt64,
        passCount: UInt64 = 0,
        passByteCount: UInt64 = 0,
        backend: String,
        sinceMilliseconds: UInt64
    ) {
        self.admission = admission
        self.name = name
        self.storedByteCount = storedByteCount
        self.quotaByteCount = quotaByteCount
        self.parcelCount = parcelCount
        self.passCount = passCount
        self.passByteCount = passByteCount
        self.backend = backend
        self.sinceMilliseconds = sinceMilliseconds
    }
}
