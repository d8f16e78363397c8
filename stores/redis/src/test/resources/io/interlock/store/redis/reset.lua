-- Forgets all leases and leaves a store record without quiet period. KEYS as in head.lua; ARGV: the namespace, maxLease.
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    redis.call('DEL', ARGV[1] .. ':l:' .. member)
end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSETNX', KEYS[1], 'epoch', '1')
local info = redis.call('INFO', 'server', 'replication')
redis.call('HSET', KEYS[1], 'format', '1', 'floor', '0', 'max_lease', ARGV[2], 'no_grant_before', '0',
    'run_id', string.match(info, '\nrun_id:(%x+)'), 'replid', string.match(info, '\nmaster_replid:(%x+)'),
    'durable', '1', 'replicated', '0')
return {'ok'}
