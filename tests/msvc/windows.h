/* What contact.h uses of Windows, and the macros that it has to live with. */
#ifndef STUB_WINDOWS_H
#define STUB_WINDOWS_H
#define near
#define far
#define small char
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned long DWORD;
typedef int BOOL;
typedef long LONG;
typedef long long LONG64;
typedef void *PVOID;
typedef void *HANDLE;
typedef struct SRWLOCK {
    void *p;
} SRWLOCK;
typedef struct CONDITION_VARIABLE {
    void *p;
} CONDITION_VARIABLE;
typedef unsigned long(__stdcall *LPTHREAD_START_ROUTINE)(void *);
#define WINAPI __stdcall
#define INFINITE 0xffffffffUL
#define SRWLOCK_INIT {0}
#define CONDITION_VARIABLE_INIT {0}
#ifdef __cplusplus
extern "C" {
#endif
void WINAPI InitializeSRWLock(SRWLOCK *lock);
void WINAPI AcquireSRWLockExclusive(SRWLOCK *lock);
void WINAPI ReleaseSRWLockExclusive(SRWLOCK *lock);
void WINAPI InitializeConditionVariable(CONDITION_VARIABLE *c);
BOOL WINAPI SleepConditionVariableSRW(CONDITION_VARIABLE *c, SRWLOCK *lock, DWORD ms, unsigned long flags);
void WINAPI WakeConditionVariable(CONDITION_VARIABLE *c);
void WINAPI WakeAllConditionVariable(CONDITION_VARIABLE *c);
HANDLE WINAPI CreateThread(void *security, size_t stack, LPTHREAD_START_ROUTINE start, void *argument, DWORD flags, DWORD *id);
DWORD WINAPI WaitForSingleObject(HANDLE object, DWORD ms);
BOOL WINAPI CloseHandle(HANDLE object);
DWORD WINAPI GetLastError(void);
BOOL WINAPI SwitchToThread(void);
void WINAPI Sleep(DWORD ms);
LONG InterlockedExchange(volatile LONG *to, LONG x);
LONG InterlockedExchangeAdd(volatile LONG *to, LONG x);
LONG InterlockedCompareExchange(volatile LONG *to, LONG x, LONG compared);
LONG64 InterlockedExchange64(volatile LONG64 *to, LONG64 x);
LONG64 InterlockedExchangeAdd64(volatile LONG64 *to, LONG64 x);
LONG64 InterlockedCompareExchange64(volatile LONG64 *to, LONG64 x, LONG64 compared);
#ifdef __cplusplus
}
#endif
#endif
