internal import CAvahi
internal import Node

/// A client of avahi-daemon, over D-Bus.
///
/// Confined to the thread that runs the poll: every function and every callback runs there, so nothing is locked.
/// The callbacks get an unretained pointer to this object. That is sound because `close()`, which every owner calls
/// and `deinit` repeats, frees the client, and a freed client calls no callback.
@safe
final class AvahiConnection: DaemonConnection {
    /// The DNS-SD type of the service (RFC 6763 section 7).
    static let serviceType = "_kairan._tcp"

    private var client: OpaquePointer?
    private var browsers: [UInt32: OpaquePointer] = unsafe [:]
    private var groups: [UInt32: OpaquePointer] = unsafe [:]
    private var resolvers: [CandidateKey: OpaquePointer] = unsafe [:]
    private var published: [UInt32: ServiceAdvertisement] = [:]
    private var occurrences: [DaemonOccurrence] = []

    /// Connects to the bus; the daemon itself may be absent and is then waited for.
    /// - Parameter poll: An `AvahiSimplePoll` that outlives this object and is run by the calling thread.
    /// - Throws: When there is no bus, or it refuses us.
    init(poll: OpaquePointer) throws(AvahiError) {
        var code: Int32 = 0
        let callback: AvahiClientCallback = { client, state, context in
            unsafe AvahiConnection.from(context)?.noteClient(client, state)
        }
        // SAFETY: the poll is alive by contract; self outlives the client, see above.
        let made = unsafe avahi_client_new(
            avahi_simple_poll_get(poll),
            AVAHI_CLIENT_NO_FAIL,
            callback,
            Unmanaged.passUnretained(self).toOpaque(),
            &code
        )
        guard let made = unsafe made else { throw AvahiError(code: code) }
        unsafe client = made
    }

    deinit {
        close()
    }

    func takeOccurrences() -> [DaemonOccurrence] {
        defer { occurrences.removeAll(keepingCapacity: true) }
        return occurrences
    }

    /// Notes an occurrence; for the callbacks.
    func note(_ occurrence: DaemonOccurrence) {
        occurrences.append(occurrence)
    }

    /// The interface that a group of entries publishes on.
    func interface(ofGroup group: OpaquePointer?) -> UInt32? {
        unsafe groups.first { unsafe $0.value == group }?.key
    }

    func browse(on interface: UInt32) throws(AvahiError) {
        guard unsafe browsers[interface] == nil else { return }
        // SAFETY: the client is alive; self outlives the browser.
        let browser = unsafe avahi_service_browser_new(
            client,
            Int32(bitPattern: interface),
            Int32(AVAHI_PROTO_UNSPEC),
            Self.serviceType,
            nil,
            AvahiLookupFlags(rawValue: 0),
            Self.browserCallback,
            Unmanaged.passUnretained(self).toOpaque()
        )
        guard let browser = unsafe browser else { throw lastError() }
        unsafe browsers[interface] = browser
    }

    func stopBrowsing(on interface: UInt32) {
        guard let browser = unsafe browsers.removeValue(forKey: interface) else { return }
        // SAFETY: the browser came from this client and is freed once, for it has just left the table.
        _ = unsafe avahi_service_browser_free(browser)
    }

    func resolve(_ key: CandidateKey) throws(AvahiError) {
        guard unsafe resolvers[key] == nil else { return }
        let family = Int32(key.family == .ipv4 ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        // SAFETY: the client is alive; self outlives the resolver.
        let resolver = unsafe avahi_service_resolver_new(
            client,
            Int32(bitPattern: key.interface),
            family,
            key.instanceName,
            Self.serviceType,
            nil,
            family,
            AvahiLookupFlags(rawValue: 0),
            Self.resolverCallback,
            Unmanaged.passUnretained(self).toOpaque()
        )
        guard let resolver = unsafe resolver else { throw lastError() }
        unsafe resolvers[key] = resolver
    }

    func stopResolving(_ key: CandidateKey) {
        guard let resolver = unsafe resolvers.removeValue(forKey: key) else { return }
        // SAFETY: the resolver came from this client and is freed once, for it has just left the table.
        _ = unsafe avahi_service_resolver_free(resolver)
    }

    func publish(_ advertisement: ServiceAdvertisement, on interface: UInt32) throws(AvahiError) {
        let group = try unsafe group(on: interface)
        let strings = unsafe Self.stringList(advertisement.attributes)
        // SAFETY: the list is our own; Avahi copies the parts that it needs.
        defer { unsafe avahi_string_list_free(strings) }
        let previous = published.removeValue(forKey: interface)
        if let previous, previous.instanceName == advertisement.instanceName, previous.port == advertisement.port {
            // Only the text changed: peers learn it without a goodbye in between.
            try check(
                unsafe avahi_entry_group_update_service_txt_strlst(
                    group,
                    Int32(bitPattern: interface),
                    Int32(AVAHI_PROTO_UNSPEC),
                    AvahiPublishFlags(rawValue: 0),
                    advertisement.instanceName,
                    Self.serviceType,
                    nil,
                    strings
                )
            )
        } else {
            if unsafe avahi_entry_group_is_empty(group) == 0 {
                try check(unsafe avahi_entry_group_reset(group))
            }
            try check(
                unsafe avahi_entry_group_add_service_strlst(
                    group,
                    Int32(bitPattern: interface),
                    Int32(AVAHI_PROTO_UNSPEC),
                    AvahiPublishFlags(rawValue: 0),
                    advertisement.instanceName,
                    Self.serviceType,
                    nil,
                    nil,
                    advertisement.port,
                    strings
                )
            )
            try check(unsafe avahi_entry_group_commit(group))
        }
        published[interface] = advertisement
    }

    func withdraw(on interface: UInt32) {
        published[interface] = nil
        guard let group = unsafe groups.removeValue(forKey: interface) else { return }
        // SAFETY: the group came from this client and is freed once, for it has just left the table.
        _ = unsafe avahi_entry_group_free(group)
    }

    func close() {
        guard let client = unsafe client else { return }
        unsafe self.client = nil
        unsafe browsers.removeAll()
        unsafe groups.removeAll()
        unsafe resolvers.removeAll()
        published.removeAll()
        // SAFETY: frees the client with all its groups, browsers and resolvers, and is reached once.
        unsafe avahi_client_free(client)
    }

    private func group(on interface: UInt32) throws(AvahiError) -> OpaquePointer {
        if let group = unsafe groups[interface] { return unsafe group }
        // SAFETY: the client is alive; self outlives the group.
        let group = unsafe avahi_entry_group_new(
            client,
            Self.groupCallback,
            Unmanaged.passUnretained(self).toOpaque()
        )
        guard let group = unsafe group else { throw lastError() }
        unsafe groups[interface] = group
        return unsafe group
    }

    private func check(_ code: Int32) throws(AvahiError) {
        guard code >= 0 else { throw AvahiError(code: code) }
    }

    /// The error of the last call.
    func lastError() -> AvahiError {
        guard let client = unsafe client else { return .disconnected }
        return unsafe AvahiError(code: avahi_client_errno(client))
    }

    private static func stringList(_ attributes: [ServiceAttribute]) -> UnsafeMutablePointer<AvahiStringList>? {
        var list: UnsafeMutablePointer<AvahiStringList>?
        for string in attributes.prefix(AttributeText.countMax).compactMap(AttributeText.string) {
            // SAFETY: the bytes are copied; the new head owns the old list.
            unsafe list = avahi_string_list_add_arbitrary(list, string, string.count)
        }
        return unsafe list
    }
}
